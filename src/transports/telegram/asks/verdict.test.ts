import { describe, expect, test } from "vitest";
import type { ChatAsk } from "./chat-ask.ts";
import { decidedHere, permissionVerdict, questionVerdict } from "./verdict.ts";

const permission: ChatAsk = {
  ...{ name: "n", id: "per_1", kind: "permission", event: "evt_1", places: [], texts: ["May I?"] },
  ...{ questions: [], marked: [], answers: [], decision: null },
};
const decided = (decision: "once" | "always" | "reject", reason: string | null = null): ChatAsk => {
  return { ...permission, decision: { decision, by: "ann", reason } };
};

describe("a permission", () => {
  test.each([
    [decided("once"), "once", "✅ Allowed once by ann."],
    [decided("reject", "Use npm."), "reject", "❌ Rejected by ann: Use npm."],
    // OpenCode allows only once if always would allow something that is denied.
    [decided("always"), "once", "✅ Always allowed by ann."],
    [decided("once"), "reject", "❌ Rejected elsewhere."],
    [permission, "always", "✅ Always allowed elsewhere."],
    [permission, "expired", "⌛ Expired: the agent is no longer waiting for an answer."],
  ] as const)("says who decided what (%#)", (ask, outcome, words) => {
    expect(permissionVerdict(ask, outcome)).toEqual([words]);
  });
});

describe("questions", () => {
  const answer = { labels: ["Red"], by: "ann" };
  const asked: ChatAsk = { ...permission, kind: "question", texts: ["One?", "Two?"], answers: [answer, null] };

  test("say who answered each of them, here or elsewhere", () => {
    expect(questionVerdict(asked, { outcome: "answered", answers: [["Red"], ["Two", "Three"]] })).toEqual([
      "✅ ann: Red",
      "✅ Answered elsewhere: Two, Three",
    ]);
  });

  test("that were dismissed or expired say so in each message", () => {
    expect(questionVerdict(asked, { outcome: "reject", answers: null })).toEqual(
      Array(2).fill("❌ Dismissed elsewhere."),
    );
    expect(questionVerdict(asked, { outcome: "expired", answers: null })).toHaveLength(2);
  });

  test("that were answered here say who answered them", () => {
    const complete = { ...asked, answers: [answer, { labels: ["A", "B"], by: "bob" }] };
    expect(decidedHere(complete)).toEqual(["✅ ann: Red", "✅ bob: A, B"]);
  });
});
