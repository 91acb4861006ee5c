import { describe, expect, test } from "vitest";
import { aSentMessage, someEvidence } from "../../../test/support/transcript.ts";
import type { Evidence } from "./observation.ts";
import type { Intent } from "./sufficiency.ts";
import { intentOf, judgeEvidence, judgeReply } from "./sufficiency.ts";

const intents: readonly Intent[] = ["task", "do", "delegate", "ask", "notify"];

const onTool = (intent: Intent, evidence: Partial<Evidence>) => judgeEvidence(intent, "tool", someEvidence(evidence));
const onText = (intent: Intent, evidence: Partial<Evidence>) => judgeEvidence(intent, "text", someEvidence(evidence));

describe("intent", () => {
  const taskRefs = [{ id: "17" }];

  test.each([
    [null, [], "ask"],
    ["ask", [], "ask"],
    ["do", [], "do"],
    ["delegate", [], "delegate"],
    ["notify", [], "notify"],
    [null, taskRefs, "task"],
    ["ask", taskRefs, "task"],
    ["do", taskRefs, "task"],
    ["delegate", taskRefs, "task"],
    ["notify", taskRefs, "notify"],
  ] as const)("action mode %s with task refs %j is %s", (actionMode, refs, intent) => {
    expect(intentOf({ actionMode, taskRefs: refs })).toBe(intent);
  });
});

describe("sufficiency: words of substance answer every intent", () => {
  const words = ["The token has expired.", "Which branch?", "blocked on missing credentials", "Yes", "Done"];

  test.each(intents.flatMap((intent) => words.map((text) => [intent, text] as const)))(
    "%s: a visible reply: %s",
    (intent, text) => {
      expect(onTool(intent, { sent: [aSentMessage(text)] })).toEqual({
        sufficient: true,
        by: "visible_reply",
        diagnostics: [],
      });
    },
  );

  test.each(intents)("%s: plain text on a tool lane counts, with a diagnostic", (intent) => {
    expect(onTool(intent, { finalText: "The token has expired." })).toEqual({
      sufficient: true,
      by: "plain_text",
      diagnostics: ["answered_in_plain_text"],
    });
  });

  test.each(intents)("%s: plain text on a text lane is the answer", (intent) => {
    expect(onText(intent, { finalText: "The token has expired." })).toEqual({
      sufficient: true,
      by: "plain_text",
      diagnostics: [],
    });
  });

  test.each(intents)("%s: what is uncertain passes, with a diagnostic", (intent) => {
    expect(onTool(intent, { sent: [aSentMessage("I'll check the logs")] })).toEqual({
      sufficient: true,
      by: "visible_reply",
      diagnostics: ["visible_reply_semantic_uncertain"],
    });
  });

  test("a visible reply outranks plain text", () => {
    const evidence = { sent: [aSentMessage("The token has expired.")], finalText: "I told the user." };
    expect(onTool("ask", evidence)).toMatchObject({ by: "visible_reply" });
  });

  test("one reply of substance among acknowledgements is enough", () => {
    const evidence = { sent: [aSentMessage("On it"), aSentMessage("The token has expired."), aSentMessage("Thanks!")] };
    expect(onTool("ask", evidence)).toMatchObject({ sufficient: true, by: "visible_reply" });
  });
});

describe("sufficiency: an acknowledgement alone", () => {
  const acknowledged: readonly [string, Partial<Evidence>][] = [
    ["a correlated visible reply", { sent: [aSentMessage("Got it, will do")] }],
    ["an uncorrelated visible reply", { sent: [aSentMessage("Got it, will do", { relay: "none" })] }],
    ["plain text", { finalText: "Understood. Working on it." }],
    ["both", { sent: [aSentMessage("Понял")], finalText: "I’ll check" }],
  ];

  test.each(intents.flatMap((intent) => acknowledged.map(([name, evidence]) => [intent, name, evidence] as const)))(
    "%s: on a tool lane it is not an answer: %s",
    (intent, _, evidence) => {
      expect(onTool(intent, evidence)).toMatchObject({
        sufficient: false,
        reason: "visible_reply_ack_only_still_requires_answer",
      });
    },
  );

  test.each(intents)("%s: on a text lane it only leaves a diagnostic", (intent) => {
    expect(onText(intent, { finalText: "OK" })).toEqual({
      sufficient: true,
      by: "plain_text",
      diagnostics: ["answer_is_only_an_acknowledgement"],
    });
  });

  test.each([
    ["task", { taskChanges: ["task_start"] }, true],
    ["task", { executions: ["bash"] }, true],
    ["task", { lookups: ["task_get"] }, false],
    ["do", { taskChanges: ["task_complete"] }, true],
    ["do", { executions: ["edit"] }, true],
    ["do", { lookups: ["read"] }, false],
    ["delegate", { taskChanges: ["task_create"] }, true],
    ["delegate", { executions: ["bash"] }, false],
    ["ask", { taskChanges: ["task_start"] }, false],
    ["ask", { executions: ["bash"] }, false],
  ] as const)("%s: with %j beside it: %s", (intent, work, sufficient) => {
    const verdict = onTool(intent, { sent: [aSentMessage("Got it")], ...work });
    expect(verdict).toMatchObject(
      sufficient ? { sufficient, by: "tool" } : { sufficient, reason: "visible_reply_ack_only_still_requires_answer" },
    );
  });
});

describe("sufficiency: work without a word", () => {
  const changed = { taskChanges: ["task_start"] };
  const executed = { executions: ["bash"] };
  const lookedUp = { lookups: ["task_get", "read", "grep"] };
  const unknown = { others: ["unheard_of"] };

  test.each([
    ["task", "a task tool that changed something", changed, true],
    ["task", "an execution tool", executed, true],
    ["task", "a lookup alone", lookedUp, false],
    ["task", "an unknown tool", unknown, false],
    ["do", "a task tool that changed something", changed, true],
    ["do", "an execution tool", executed, true],
    ["do", "a lookup alone", lookedUp, false],
    ["do", "an unknown tool", unknown, false],
    ["delegate", "a task tool that changed something", changed, true],
    ["delegate", "an execution tool", executed, false],
    ["delegate", "a lookup alone", lookedUp, false],
    ["delegate", "an unknown tool", unknown, false],
    ["ask", "a task tool that changed something", changed, false],
    ["ask", "an execution tool", executed, false],
    ["ask", "a lookup alone", lookedUp, false],
    ["ask", "an unknown tool", unknown, false],
    ["notify", "a task tool that changed something", changed, false],
    ["notify", "an execution tool", executed, false],
    ["notify", "a lookup alone", lookedUp, false],
    ["notify", "an unknown tool", unknown, false],
  ] as const)("%s: %s", (intent, _, evidence, sufficient) => {
    const expected = sufficient
      ? { sufficient, by: "tool", diagnostics: [] }
      : { sufficient, reason: "visible_reply_still_required", diagnostics: [] };
    expect(onTool(intent, evidence)).toEqual(expected);
    expect(onText(intent, evidence)).toEqual(expected);
  });

  test.each(intents)("%s: a turn that shows nothing, or bootstrap and errored tools only", (intent) => {
    expect(onTool(intent, {})).toEqual({ sufficient: false, reason: "no_response", diagnostics: [] });
  });
});

describe("sufficiency delegate: a message to somebody else", () => {
  const toBob = { relay: "none", toReplyRecipient: false } as const;

  test("with words of substance is the delegation", () => {
    expect(onTool("delegate", { sent: [aSentMessage("Bob, please rotate the token", toBob)] })).toMatchObject({
      sufficient: true,
      by: "tool",
    });
  });

  test("with an acknowledgement is none", () => {
    expect(onTool("delegate", { sent: [aSentMessage("Will do", toBob)] })).toMatchObject({ sufficient: false });
  });

  test("that answers another message is none", () => {
    const sent = [aSentMessage("Rotate the token", { relay: "another", toReplyRecipient: false })];
    expect(onTool("delegate", { sent })).toMatchObject({ sufficient: false });
  });

  test.each(["task", "do", "ask", "notify"] as const)("is no answer to %s", (intent) => {
    expect(onTool(intent, { sent: [aSentMessage("Bob, please rotate the token", toBob)] })).toMatchObject({
      sufficient: false,
      reason: "visible_reply_still_required",
    });
  });
});

describe("sufficiency: what a message is tied to", () => {
  test.each(intents)("%s: a message that names another message is no reply to this one", (intent) => {
    const sent = [aSentMessage("The token has expired.", { relay: "another" })];
    expect(onTool(intent, { sent })).toMatchObject({ sufficient: false });
  });

  test("one that names no message counts when it went to who waits for it", () => {
    const sent = [aSentMessage("The token has expired.", { relay: "none" })];
    expect(onTool("ask", { sent })).toMatchObject({ sufficient: true, by: "visible_reply" });
  });
});

describe("sufficiency: summary and text are judged apart", () => {
  test.each([
    ["two empty phrases", "Got it", "Acknowledged", false],
    ["two single words", "OK", "Reply", false],
    ["a promise of a result", "On it", "Will report back when done", false],
    ["no summary", "Got it", null, false],
    ["a concrete summary", "Got it", "3 tests fail in src/a.ts", true],
    ["an acknowledgement as summary of an answer", "The token has expired.", "OK", true],
  ] as const)("%s", (_, text, summary, sufficient) => {
    expect(onTool("ask", { sent: [aSentMessage(text, { summary })] }).sufficient).toBe(sufficient);
  });

  test("an answer that stands only in the summary leaves a diagnostic", () => {
    expect(onTool("ask", { sent: [aSentMessage("Got it", { summary: "2 files changed" })] })).toMatchObject({
      diagnostics: ["answer_is_in_the_summary"],
    });
  });
});

describe("sufficiency: a reply that has arrived at its destination", () => {
  test("with substance is the strongest proof", () => {
    expect(judgeReply({ text: "The token has expired.", summary: null }, "tool")).toEqual({
      sufficient: true,
      by: "destination_reply",
      diagnostics: [],
    });
  });

  test("with an acknowledgement alone proves correlation, not an answer", () => {
    expect(judgeReply({ text: "Понял", summary: "Ок" }, "tool")).toMatchObject({
      sufficient: false,
      reason: "visible_reply_ack_only_still_requires_answer",
    });
  });

  test("with an acknowledgement on a text lane leaves a diagnostic", () => {
    expect(judgeReply({ text: "OK", summary: null }, "text")).toMatchObject({
      sufficient: true,
      diagnostics: ["answer_is_only_an_acknowledgement"],
    });
  });

  test.each(["tool", "text"] as const)("without any text says nothing on a %s lane", (contract) => {
    expect(judgeReply({ text: "  ", summary: null }, contract)).toMatchObject({
      sufficient: false,
      reason: "no_response",
    });
  });
});
