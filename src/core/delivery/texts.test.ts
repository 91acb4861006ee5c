import { describe, expect, test } from "vitest";
import { anAttempt } from "../../../test/support/core/transcript.ts";
import type { ReplyContract } from "../lane/lane.ts";
import type { Message } from "../message/message.ts";
import { replyOutcomes } from "../message/message.ts";
import type { Attempt } from "./attempt.ts";
import { promptMarker, promptText } from "./texts.ts";

const written = "What colour is it?\n\n  Keep this   as it is. ";

function prompt(
  input: Partial<{
    message: Partial<Message>;
    contract: ReplyContract;
    attempt: Partial<Attempt>;
    takesIds: boolean;
    digest: string | null;
    writer: string | null;
  }> = {},
): string {
  const { message, attempt, ...rest } = input;
  return promptText({
    message: {
      id: "m-1",
      recipient: { kind: "lane", lane: "lane" },
      from: "alice",
      fromLane: null,
      laneId: null,
      text: written,
      summary: null,
      actionMode: null,
      taskRefs: [],
      relayOfMessageId: null,
      attachments: [],
      replyRecipient: "team-lead",
      conversation: null,
      source: "mcp",
      expiresAt: null,
      createdAt: 0,
      ...message,
    },
    attempt: anAttempt(attempt),
    contract: "tool",
    maxAttempts: 3,
    takesIds: true,
    digest: null,
    ...rest,
  });
}

test("a first prompt on a text lane is the message's text alone", () => {
  expect(prompt({ contract: "text" })).toBe(written);
});

test.each(["text", "tool"] as const)("the sender's text is unchanged, even in a retry on a %s lane", (contract) => {
  expect(prompt({ contract, attempt: { number: 2 } })).toContain(written);
});

describe("the marker", () => {
  test.each([
    ["a tool lane", { contract: "tool" }],
    ["a runtime that takes no ids", { contract: "text", takesIds: false }],
    ["a retry in a new session", { contract: "text", takesIds: false, attempt: { number: 3 }, digest: "Earlier …" }],
  ] as const)("comes first: %s", (_, input) => {
    expect(prompt(input).startsWith(`${promptMarker("m-1")}alice]`)).toBe(true);
  });

  test("names this message even if the text quotes another marker", () => {
    const text = `${promptMarker("m-2")} from bob] was wrong`;
    expect(prompt({ message: { text } }).startsWith(promptMarker("m-1"))).toBe(true);
  });
});

describe("the writer", () => {
  test("is named with the id of the message, and described if more is known", () => {
    const text = prompt({ writer: "backend developer of your team", message: { fromLane: "backend" } });
    expect(text.startsWith("[waybill message m-1 from alice, backend developer of your team]")).toBe(true);
  });

  test("is also named on a text lane if an agent or Waybill writes instead of a person", () => {
    const marker = `${promptMarker("m-1")}alice]`;
    expect(prompt({ contract: "text", message: { fromLane: "backend" } })).toBe(`${marker}\n\n${written}`);
    const fromMember = { kind: "member", team: "core", member: "alice" } as const;
    expect(prompt({ contract: "text", message: { fromMember } })).toBe(`${marker}\n\n${written}`);
    expect(prompt({ contract: "text", message: { source: "watchdog" } })).toBe(`${marker}\n\n${written}`);
  });
});

describe("reply instructions on a tool lane", () => {
  test("explain each outcome, and that an acknowledgement is not one", () => {
    const text = prompt();
    for (const outcome of replyOutcomes) expect(text).toContain(`"${outcome}"`);
    expect(text).toContain("an acknowledgement alone does not count as a reply");
    expect(text).toContain("Without that tool, answer in plain text");
  });

  test.each([
    ["do", "wants this done"],
    ["ask", "wants an answer"],
    ["delegate", "to whom"],
  ] as const)("state what the sender wants: %s", (actionMode, words) => {
    expect(prompt({ message: { actionMode } })).toContain(words);
  });

  test("name the recipient and the message that the reply belongs to", () => {
    const text = prompt();
    expect(text).toContain('to "team-lead"');
    expect(text).toContain('relayOfMessageId "m-1"');
  });

  test("name the tasks", () => {
    expect(prompt({ message: { taskRefs: [{ id: "17" }, { id: "18" }] } })).toContain("17, 18");
  });

  test("ask for no reply if none is needed", () => {
    const text = prompt({ message: { actionMode: "notify", taskRefs: [{ id: "17" }] } });
    expect(text).toContain("No reply is needed");
    expect(text).toContain("17");
    expect(text).not.toContain("message_send");
  });
});

describe("a retry", () => {
  const reasons = [
    "visible_reply_still_required",
    "visible_reply_ack_only_still_requires_answer",
    "empty_assistant_turn",
  ];

  test("is worded differently for work without an answer, an acknowledgement, and silence", () => {
    const texts = reasons.map((because) => prompt({ attempt: { number: 2, because } }));
    expect(new Set(texts).size).toBe(3);
  });

  test.each(reasons)("says which prompt it is and how to answer: %s", (because) => {
    const onTool = prompt({ attempt: { number: 2, because } });
    const onText = prompt({ contract: "text", attempt: { number: 3, because } });
    expect(onTool).toContain('prompt 2 of 3 for message "m-1"');
    expect(onTool).toContain("with message_send");
    expect(onText).toContain("prompt 3 of 3");
    expect(onText).toContain("in plain text");
    expect(onText).not.toContain("message_send");
  });

  test("names no total when its number exceeds the budget, as after repairs", () => {
    expect(prompt({ attempt: { number: 4, because: "session_stale" } })).toContain('(prompt 4 for message "m-1")');
  });

  test("does not ask for work twice", () => {
    expect(prompt({ attempt: { number: 2, because: "visible_reply_still_required" } })).toContain("no need to repeat");
    expect(prompt({ attempt: { number: 2, because: "empty_assistant_turn" } })).toContain("do not do it twice");
  });
});

test("a digest of the lost session comes before the message", () => {
  const text = prompt({ contract: "text", digest: "Earlier: it was red." });
  expect(text.indexOf("Earlier: it was red.")).toBeGreaterThanOrEqual(0);
  expect(text.indexOf("Earlier: it was red.")).toBeLessThan(text.indexOf(written));
});
