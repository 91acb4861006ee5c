import { describe, expect, test } from "vitest";
import { askButtons, readAskPress } from "./ask-buttons.ts";
import type { ChatAsk } from "./chat-asks.ts";
import { allAnswers, answered, askName, marked, markedLabels } from "./chat-asks.ts";

const option = (label: string) => ({ label, description: null });
const options = ["Core", "Page", "Docs"].map(option);
const question: ChatAsk = {
  ...{ name: askName("que_1"), id: "que_1", kind: "question", event: "evt_1", places: [], decision: null },
  texts: ["One choice", "Several"],
  questions: [
    { header: null, question: "One?", options, multiple: false },
    { header: null, question: "Several?", options, multiple: true },
  ],
  marked: [[], []],
  answers: [null, null],
};
const permission: ChatAsk = {
  ...question,
  kind: "permission",
  texts: ["May I?"],
  questions: [],
  marked: [],
  answers: [],
};
const dataIn = (ask: ChatAsk, part: number) => askButtons(ask, part).flatMap((row) => row.map(({ data }) => data));
const textsIn = (ask: ChatAsk, part: number) => askButtons(ask, part).flatMap((row) => row.map(({ text }) => text));

describe("the data of a button", () => {
  test("fits into 64 bytes, however long the id of the ask is", () => {
    const long = { ...question, name: askName("x".repeat(500)) };
    for (const data of [...dataIn(long, 0), ...dataIn(long, 1), ...dataIn({ ...permission, name: long.name }, 0)]) {
      expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
    }
  });

  test("identifies the button that was pressed", () => {
    expect(dataIn(permission, 0).map((data) => readAskPress(data)?.press)).toEqual([
      { kind: "decide", decision: "once" },
      { kind: "decide", decision: "always" },
      { kind: "decide", decision: "reject" },
      { kind: "reason" },
    ]);
    expect(dataIn(question, 0).map((data) => readAskPress(data)?.press)).toMatchObject([
      { kind: "choose", question: 0, option: 0 },
      { kind: "choose", question: 0, option: 1 },
      { kind: "choose", question: 0, option: 2 },
      { kind: "other", question: 0 },
    ]);
  });

  test.each(["ask", "ask:name", "ask:name:unknown:1"])("in an unknown form is ignored: %s", (data) => {
    expect(readAskPress(data)).toBeNull();
  });
});

describe("several choices", () => {
  test("a press marks an option, and the next one unmarks it", () => {
    const once = marked(question, 1, 2, true);
    expect(textsIn(once, 1)).toEqual(["Core", "Page", "✓ Docs", "Send", "Other…"]);
    expect(readAskPress(dataIn(once, 1)[2] ?? "")?.press).toMatchObject({ kind: "mark", option: 2, on: false });
    expect(textsIn(marked(once, 1, 2, false), 1)).toContain("Docs");
  });

  test("a press that is handled again changes nothing, and labels keep their order", () => {
    const twice = marked(marked(marked(question, 1, 2, true), 1, 0, true), 1, 2, true);
    expect(markedLabels(twice, 1)).toEqual(["Core", "Docs"]);
  });
});

test("the answers are complete when every question has one", () => {
  const first = answered(question, 1, ["Docs"], "ann");
  expect(allAnswers(first)).toBeNull();
  expect(allAnswers(answered(first, 0, ["Core"], "bob"))).toEqual([["Core"], ["Docs"]]);
});

test("a label that is too long for a button is cut between characters", () => {
  const long = {
    ...question,
    questions: [{ header: null, question: "?", options: [option("😀".repeat(80))], multiple: false }],
  };
  expect(textsIn(long, 0)[0]).toBe(`${"😀".repeat(59)}…`);
});
