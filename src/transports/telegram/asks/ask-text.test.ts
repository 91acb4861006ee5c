import { describe, expect, test } from "vitest";
import { decidedHere, permissionText, permissionVerdict, questionText, questionVerdict } from "./ask-text.ts";
import type { ChatAsk } from "./chat-asks.ts";

const directory = "/code/repository";

describe("a permission shows", () => {
  test("the command, once, and the directory", () => {
    const text = permissionText("bash: make", { command: "make", description: "builds it" }, directory);
    expect(text.match(/make/g)).toHaveLength(1);
    expect(text).toContain(directory);
  });

  test("the whole command if the title shortens it", () => {
    expect(permissionText("Bash", { tool: "Bash", input: { command: "make all" } }, directory)).toContain(
      "```sh\nmake all\n```",
    );
  });

  test("the diff of an edit, or one made from the replaced text", () => {
    expect(permissionText("edit: a.ts", { diff: "-old\n+new" }, directory)).toContain("```diff\n-old\n+new\n```");
    const input = { file_path: "a.ts", old_string: "old", new_string: "new\nmore" };
    expect(permissionText("Edit: a.ts", { tool: "Edit", input }, directory)).toContain(
      "```diff\n-old\n+new\n+more\n```",
    );
  });

  test("only the title if the agent program reports nothing else", () => {
    expect(permissionText("webfetch", null, directory).match(/```/g)).toHaveLength(2);
  });

  test("no more than fits into one message, even with fences and emoji", () => {
    const detail = { command: "😀```\n".repeat(5000) };
    const text = permissionText("t".repeat(5000), detail, `/${"d".repeat(3000)}`);
    expect(text.length).toBeLessThan(4000);
    expect(text).toContain("more characters)");
    expect(text).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
  });
});

describe("a question shows", () => {
  const options = [
    { label: "Red", description: "like fire" },
    { label: "Blue", description: null },
  ];

  test("its text, its header, and what the options mean", () => {
    const text = questionText({ header: "Colour", question: "Which?", options, multiple: false }, 0, 1);
    expect(text).toBe("❓ The agent asks:\n\n**Colour**\nWhich?\n\n- Red: like fire");
  });

  test("its number if there are several", () => {
    expect(questionText({ header: null, question: "Which?", options: [], multiple: false }, 1, 3)).toContain(
      "(2 of 3)",
    );
  });
});

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
