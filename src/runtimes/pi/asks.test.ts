import { describe, expect, test } from "vitest";
import { askIn, dialogResponse } from "./asks.ts";

const dialog = (method: string, more: object) => askIn({ type: "extension_ui_request", id: "d1", method, ...more });
const response = { type: "extension_ui_response", id: "d1" };

describe("a permission", () => {
  const ask = dialog("select", {
    title: JSON.stringify({ waybill: "permission", call: "c1", tool: "bash", input: { command: "make" } }),
  });

  test("has the call and its input", () => {
    expect(ask).toMatchObject({ kind: "permission", title: "bash: make", call: "c1" });
  });

  test.each(["once", "always", "reject"] as const)("is answered with %s", (decision) => {
    expect(ask && dialogResponse(ask, { decision })).toEqual({ ...response, value: decision });
  });

  test("is rejected with a reason", () => {
    const answer = { decision: "reject", message: "Use npm." } as const;
    expect(ask && dialogResponse(ask, answer)).toEqual({ ...response, value: "reject: Use npm." });
  });
});

describe("a question from the agent", () => {
  const questions = [
    { question: "Which?", options: [{ label: "Red" }] },
    { question: "When?", multiple: true },
  ];
  const ask = dialog("input", { title: JSON.stringify({ waybill: "question", call: "c1", input: { questions } }) });

  test("is shown with all its parts", () => {
    expect(ask).toMatchObject({ kind: "question", title: "Which? / When?", call: "c1" });
    expect(ask?.questions).toMatchObject([{ options: [{ label: "Red", description: null }] }, { multiple: true }]);
  });

  test("is answered with text, question by question", () => {
    const answers = [["Red"], []];
    const value = "Which?\nRed\n\nWhen?\n(no answer)";
    expect(ask && dialogResponse(ask, { decision: "once", answers })).toEqual({ ...response, value });
    expect(ask && dialogResponse(ask, { decision: "reject" })).toEqual({ ...response, cancelled: true });
  });
});

describe("a dialog of another extension", () => {
  test.each([
    ["select", { title: "Go?", options: ["a", "b"] }, ["a", "b"], [["b"]], { value: "b" }],
    ["confirm", { title: "Sure", message: "It is gone then." }, ["Yes", "No"], [["Yes"]], { confirmed: true }],
    ["confirm", { title: "Sure", message: "It is gone then." }, ["Yes", "No"], [["No"]], { confirmed: false }],
    ["input", { title: "Name" }, [], [["x"]], { value: "x" }],
    ["editor", { title: "Text" }, [], [], { cancelled: true }],
  ])("%s is a question with its options", (method, more, labels, answers, wanted) => {
    const ask = dialog(method, more);
    expect(ask).toMatchObject({ kind: "question", call: null });
    expect(ask?.questions.flatMap(({ options }) => options.map(({ label }) => label))).toEqual(labels);
    expect(ask && dialogResponse(ask, { decision: "once", answers })).toEqual({ ...response, ...wanted });
  });

  test("that needs no answer is not a question", () => {
    expect(dialog("notify", { message: "Hello" })).toBeNull();
    expect(dialog("setStatus", { statusKey: "a" })).toBeNull();
  });
});
