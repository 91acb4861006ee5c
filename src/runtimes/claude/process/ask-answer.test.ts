import { describe, expect, test } from "vitest";
import { answerTo } from "./ask-answer.ts";
import type { ToolAsk } from "./stdio-client.ts";

const suggestion = { type: "addRules", behavior: "allow", destination: "localSettings", rules: [{ toolName: "Bash" }] };
const permission: ToolAsk = {
  ...{ id: "r", kind: "permission", sessionId: "s", title: "Bash: make", askedAt: 0, call: "t", tool: "Bash" },
  input: { command: "make" },
  suggestions: [suggestion, "unknown"],
};
const question: ToolAsk = {
  ...permission,
  kind: "question",
  tool: "AskUserQuestion",
  input: { questions: [{ question: "Which?" }, { question: "How many?" }, { question: "Why?" }], other: 1 },
};

describe("a permission", () => {
  test("that is given once lets the tool run as it was asked for", () => {
    expect(answerTo(permission, { decision: "once" })).toEqual({
      behavior: "allow",
      updatedInput: { command: "make" },
    });
  });

  test("that is given for good holds for the session, and nothing is written into the project", () => {
    expect(answerTo(permission, { decision: "always" })).toEqual({
      behavior: "allow",
      updatedInput: { command: "make" },
      updatedPermissions: [{ ...suggestion, destination: "session" }, "unknown"],
    });
  });

  test.each([permission, question])("that is refused ends the turn", (ask) => {
    expect(answerTo(ask, { decision: "reject" })).toMatchObject({ behavior: "deny", interrupt: true });
  });
});

describe("questions", () => {
  test("are answered by their texts, several choices in one line, and what nobody answered is left out", () => {
    expect(answerTo(question, { decision: "once", answers: [["Red", "Blue"], [], ["Because"]] })).toEqual({
      behavior: "allow",
      updatedInput: { ...question.input, answers: { "Which?": "Red, Blue", "Why?": "Because" } },
    });
  });

  test("without any answer are answered with none", () => {
    expect(answerTo(question, { decision: "once" })).toMatchObject({ updatedInput: { answers: {} } });
  });
});
