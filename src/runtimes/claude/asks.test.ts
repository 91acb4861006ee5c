import { describe, expect, test } from "vitest";
import { questionsIn } from "../process-pool/asks.ts";
import type { ToolAsk } from "./asks.ts";
import { askResponse } from "./asks.ts";

const suggestion = { type: "addRules", behavior: "allow", destination: "localSettings", rules: [{ toolName: "Bash" }] };
const permission: ToolAsk = {
  ...{ id: "r", kind: "permission", title: "Bash: make", call: "t", questions: [] },
  detail: { tool: "Bash", input: { command: "make" }, suggestions: [suggestion, "unknown"] },
};
const input = { questions: [{ question: "Which?" }, { question: "How many?" }, { question: "Why?" }], other: 1 };
const question: ToolAsk = {
  ...permission,
  kind: "question",
  questions: questionsIn(input),
  detail: { tool: "AskUserQuestion", input, suggestions: [] },
};

describe("a permission", () => {
  test("that is granted once lets the tool run with the requested input", () => {
    expect(askResponse(permission, { decision: "once" })).toEqual({
      behavior: "allow",
      updatedInput: { command: "make" },
    });
  });

  test("that is granted with `always` applies to the session, and is not written to the project", () => {
    expect(askResponse(permission, { decision: "always" })).toEqual({
      behavior: "allow",
      updatedInput: { command: "make" },
      updatedPermissions: [{ ...suggestion, destination: "session" }, "unknown"],
    });
  });

  test.each([permission, question])("that is refused ends the turn", (ask) => {
    expect(askResponse(ask, { decision: "reject" })).toMatchObject({ behavior: "deny", interrupt: true });
  });

  test("that is refused with a reason tells the agent why, and the turn continues", () => {
    expect(askResponse(permission, { decision: "reject", message: "Use npm." })).toEqual({
      behavior: "deny",
      message: "A person refused this: Use npm.",
    });
  });
});

describe("questions", () => {
  test("are answered by their texts, with several choices in one line and without unanswered questions", () => {
    expect(askResponse(question, { decision: "once", answers: [["Red", "Blue"], [], ["Because"]] })).toEqual({
      behavior: "allow",
      updatedInput: { ...input, answers: { "Which?": "Red, Blue", "Why?": "Because" } },
    });
  });

  test("without any answer get an empty answer", () => {
    expect(askResponse(question, { decision: "once" })).toMatchObject({ updatedInput: { answers: {} } });
  });
});
