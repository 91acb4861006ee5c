import { describe, expect, test } from "vitest";
import { aSentMessage, someEvidence } from "../../../test/support/core/transcript.ts";
import type { Evidence } from "./observation.ts";
import type { Intent } from "./sufficiency.ts";
import { intentOf, judgeEvidence, judgeReply } from "./sufficiency.ts";

const intents: readonly Intent[] = ["task", "do", "delegate", "ask", "notify"];
/** Those that want more than to be read. */
const wanting = intents.filter((intent) => intent !== "notify");

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

describe("sufficiency: text with substance answers every intent", () => {
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

  test.each(wanting)("%s: an uncertain text passes, with a diagnostic", (intent) => {
    expect(onTool(intent, { sent: [aSentMessage("On it, boss, it is red")] })).toEqual({
      sufficient: true,
      by: "visible_reply",
      diagnostics: ["visible_reply_semantic_uncertain"],
    });
  });

  test("a visible reply outranks plain text", () => {
    const evidence = { sent: [aSentMessage("The token has expired.")], finalText: "I told the user." };
    expect(onTool("ask", evidence)).toMatchObject({ by: "visible_reply" });
  });

  test("one reply with substance among acknowledgements is enough", () => {
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

  test.each(wanting.flatMap((intent) => acknowledged.map(([name, evidence]) => [intent, name, evidence] as const)))(
    "%s: on a tool lane it is not an answer: %s",
    (intent, _, evidence) => {
      expect(onTool(intent, evidence)).toMatchObject({
        sufficient: false,
        reason: "visible_reply_ack_only_still_requires_answer",
      });
    },
  );

  test.each(wanting)(
    "%s: on a text lane it is not an answer either, while the agent may be asked to continue",
    (intent) => {
      expect(onText(intent, { finalText: "OK" })).toMatchObject({
        sufficient: false,
        reason: "visible_reply_ack_only_still_requires_answer",
      });
    },
  );

  test("on a text lane, any text after the agent was asked to continue closes an ask, with a diagnostic", () => {
    expect(judgeEvidence("ask", "text", someEvidence({ finalText: "OK" }), { lastWord: true })).toEqual({
      sufficient: true,
      by: "plain_text",
      diagnostics: ["answer_is_only_an_acknowledgement"],
    });
  });

  test.each(["task", "do", "delegate"] as const)("%s: still needs work or a concrete text after that", (intent) => {
    const acknowledged = someEvidence({ finalText: "OK" });
    expect(judgeEvidence(intent, "text", acknowledged, { lastWord: true }).sufficient).toBe(false);
    expect(judgeEvidence(intent, "text", { ...acknowledged, taskChanges: ["task_start"] }).sufficient).toBe(true);
    expect(onText(intent, { finalText: "The port is 8080." }).sufficient).toBe(true);
  });

  test("the reply that the message asked for is its answer, even if it acknowledges", () => {
    expect(onText("ask", { finalText: "OK", request: "Reply OK." })).toMatchObject({ sufficient: true });
    expect(onText("ask", { finalText: "OK", request: "Reply." })).toMatchObject({ sufficient: false });
    expect(onText("do", { finalText: "OK", request: "Fix it, ok." })).toMatchObject({ sufficient: false });
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
  ] as const)("%s: together with %j: %s", (intent, work, sufficient) => {
    const verdict = onTool(intent, { sent: [aSentMessage("Got it")], ...work });
    expect(verdict).toMatchObject(
      sufficient ? { sufficient, by: "tool" } : { sufficient, reason: "visible_reply_ack_only_still_requires_answer" },
    );
  });
});

describe("sufficiency: work without any text", () => {
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

  test.each(intents)("%s: a turn that shows nothing, or only bootstrap and failed tools, is not proof", (intent) => {
    expect(onTool(intent, {})).toEqual({ sufficient: false, reason: "no_response", diagnostics: [] });
  });
});

describe("sufficiency delegate: a message to somebody else", () => {
  const toBob = { relay: "none", toReplyRecipient: false } as const;

  test("with substance is the delegation", () => {
    expect(onTool("delegate", { sent: [aSentMessage("Bob, please rotate the token", toBob)] })).toMatchObject({
      sufficient: true,
      by: "tool",
    });
  });

  test("with an acknowledgement is not", () => {
    expect(onTool("delegate", { sent: [aSentMessage("Will do", toBob)] })).toMatchObject({ sufficient: false });
  });

  test("that answers another message is not", () => {
    const sent = [aSentMessage("Rotate the token", { relay: "another", toReplyRecipient: false })];
    expect(onTool("delegate", { sent })).toMatchObject({ sufficient: false });
  });

  test.each(["task", "do", "ask", "notify"] as const)("is not an answer to %s", (intent) => {
    expect(onTool(intent, { sent: [aSentMessage("Bob, please rotate the token", toBob)] })).toMatchObject({
      sufficient: false,
      reason: "visible_reply_still_required",
    });
  });
});

describe("sufficiency: the message that a reply is linked to", () => {
  test.each(intents)("%s: a message that names another message is not a reply to this one", (intent) => {
    const sent = [aSentMessage("The token has expired.", { relay: "another" })];
    expect(onTool(intent, { sent })).toMatchObject({ sufficient: false });
  });

  test("one that names no message counts if it went to the recipient of the answer", () => {
    const sent = [aSentMessage("The token has expired.", { relay: "none" })];
    expect(onTool("ask", { sent })).toMatchObject({ sufficient: true, by: "visible_reply" });
  });
});

describe("sufficiency: summary and text are judged separately", () => {
  test.each([
    ["two empty phrases", "Got it", "Acknowledged", false],
    ["two single words", "OK", "Reply", false],
    ["a promise of a result", "On it", "Will report back when done", false],
    ["no summary", "Got it", null, false],
    ["a summary that counts something", "Got it", "3 tests fail in src/a.ts", true],
    ["an identifier as summary", "Got it", "Task #17", false],
    ["a status as summary", "Got it", "Task 17: in progress", false],
    ["a title as summary", "On it", "Login bug", false],
    ["an acknowledgement as summary of an answer", "The token has expired.", "OK", true],
  ] as const)("%s", (_, text, summary, sufficient) => {
    expect(onTool("ask", { sent: [aSentMessage(text, { summary })] }).sufficient).toBe(sufficient);
  });

  test("an answer that is only in the summary adds a diagnostic", () => {
    expect(onTool("ask", { sent: [aSentMessage("Got it", { summary: "2 files changed" })] })).toMatchObject({
      diagnostics: ["answer_is_in_the_summary"],
    });
  });
});

describe("sufficiency: a reply that has arrived at its destination", () => {
  test("with substance is the strongest proof", () => {
    expect(judgeReply({ text: "The token has expired.", summary: null }, "ask")).toEqual({
      sufficient: true,
      by: "destination_reply",
      diagnostics: [],
    });
  });

  test("with an acknowledgement alone proves correlation, not an answer", () => {
    expect(judgeReply({ text: "Понял", summary: "Ок" }, "ask")).toMatchObject({
      sufficient: false,
      reason: "visible_reply_ack_only_still_requires_answer",
    });
  });

  test.each(["  ", "\u200b\u2060", "<think>What now?</think>"])("without any text says nothing: %j", (text) => {
    expect(judgeReply({ text, summary: null }, "ask")).toMatchObject({ sufficient: false, reason: "no_response" });
  });
});

describe("sufficiency: the declared outcome of a reply", () => {
  const answer = "The token has expired.";
  const nod = "Got it";
  const all = intents;
  const work: readonly Intent[] = ["task", "do", "delegate"];

  test.each([
    ["answer", answer, all],
    ["answer", nod, ["notify"]],
    ["done", answer, all],
    ["done", nod, [...work, "notify"]],
    ["question", answer, all],
    ["question", nod, all],
    ["blocked", answer, all],
    ["progress", answer, ["notify"]],
    [null, answer, all],
    [null, nod, ["notify"]],
  ] as const)("%s, with the text %j, closes %j", (outcome, text, closes) => {
    const closed = intents.filter((intent) => judgeReply({ text, summary: null, outcome }, intent).sufficient);
    expect(closed).toEqual(intents.filter((intent) => (closes as readonly Intent[]).includes(intent)));
    const seen = intents.filter((intent) => onTool(intent, { sent: [aSentMessage(text, { outcome })] }).sufficient);
    expect(seen).toEqual(closed);
  });

  test("a verdict includes it, so that the sender knows who is next", () => {
    expect(judgeReply({ text: "Which branch?", summary: null, outcome: "question" }, "do")).toMatchObject({
      outcome: "question",
    });
  });

  test("progress closes nothing, whatever work comes with it, and asks for the outcome", () => {
    const sent = [aSentMessage("Two of three are done.", { outcome: "progress" })];
    expect(onTool("do", { sent, executions: ["edit"] })).toMatchObject({
      sufficient: false,
      reason: "progress_still_requires_outcome",
    });
  });
});

describe("sufficiency: a reply that did not arrive", () => {
  const failedSends = [{ why: "error", detail: "The mailbox is full.", text: "The port is 8080." }] as const;

  test.each(["I have replied to the user.", "The answer was sent.", "Ответил пользователю.", "我已经回复了用户。"])(
    "is not replaced by a text that only mentions it: %s",
    (finalText) => {
      for (const judge of [onTool, onText]) {
        expect(judge("ask", { failedSends, finalText })).toMatchObject({
          sufficient: false,
          reason: "reply_not_delivered: The mailbox is full.",
        });
      }
    },
  );

  test("is replaced by a text that gives the same answer", () => {
    const finalText = "The tool failed, so here: the port is 8080.";
    expect(onTool("ask", { failedSends, finalText })).toMatchObject({ sufficient: true, by: "plain_text" });
  });

  test("is replaced by a later one that arrived", () => {
    const sent = [aSentMessage("The port is 8080.")];
    expect(onTool("ask", { failedSends, sent, finalText: "Sent." })).toMatchObject({ by: "visible_reply" });
  });
});

describe("sufficiency: failed work", () => {
  test.each(["do", "task"] as const)("%s: does not count, and the retry says so", (intent) => {
    expect(onTool(intent, { failedWork: ["bash"] })).toEqual({
      sufficient: false,
      reason: "work_failed",
      diagnostics: [],
    });
  });

  test("with a text about it is an answer", () => {
    const finalText = "The build fails: src/a.ts has a syntax error.";
    expect(onText("do", { failedWork: ["bash"], finalText })).toMatchObject({ sufficient: true, by: "plain_text" });
  });

  test("together with successful work changes nothing", () => {
    expect(onTool("do", { failedWork: ["bash"], executions: ["edit"] })).toMatchObject({
      sufficient: true,
      by: "tool",
    });
  });
});

describe("sufficiency: a text that reads like a provider's error", () => {
  const noticeText = "Rate limit exceeded.";

  test("is retried once, and then closes an ask, shown as it is", () => {
    expect(onText("ask", { noticeText })).toMatchObject({
      sufficient: false,
      reason: "answer_reads_like_provider_error",
    });
    expect(judgeEvidence("ask", "text", someEvidence({ noticeText }), { lastWord: true })).toMatchObject({
      sufficient: true,
      diagnostics: ["answer_is_only_a_provider_error"],
    });
  });

  test("is not work for a do, however often it comes", () => {
    expect(judgeEvidence("do", "text", someEvidence({ noticeText }), { lastWord: true }).sufficient).toBe(false);
  });
});
