import { expect, test } from "vitest";
import type { AskNote, ShownItem } from "../../live/turns.ts";
import { answerWords, asksWithoutCall, ownAnswers, questionsByCall, questionsOf } from "./asked-questions.ts";

const options = [
  { label: "Red", description: "Like a rose." },
  { label: "Blue", description: null },
];
const colour = { header: "Colour", question: "Which colour?", options, multiple: false };
const sizes = { header: null, question: "Which sizes?", options: [], multiple: true };
const ask: AskNote = {
  ...{ id: "que_1", kind: "question", title: "Which colour?", at: 0 },
  ...{ call: "1", questions: [colour, sizes] },
};
const call = (input: unknown, id = "1"): ShownItem => ({
  ...{ id: `call:${id}`, kind: "tool_call", role: null, name: "question", parent: null, status: "completed" },
  ...{ startedAt: 0, endedAt: 1, nativeSession: null },
  parts: [{ type: "tool_call", call: id, name: "question", input }],
});
const answered = { outcome: "answered", answers: [["Blue"], ["S", "M"]] };

test("a call has the questions of its ask, and their answers", () => {
  const byCall = questionsByCall({ asks: [ask], askOutcomes: new Map([["que_1", answered]]) });
  const asked = questionsOf(call({}), byCall);
  expect(asked).toEqual({ questions: [colour, sizes], ...answered, isWaiting: false });
  expect(asked && answerWords(asked)).toBe("Blue; S, M");
  expect(questionsOf(call({}, "2"), byCall)).toBeNull();
});

test("an ask without an outcome waits, and a rejected one has no answers", () => {
  const waiting = questionsByCall({ asks: [ask], askOutcomes: new Map() }).get("1");
  expect(waiting).toMatchObject({ outcome: null, answers: null, isWaiting: true });
  const outcome = { outcome: "reject", answers: null };
  const rejected = questionsByCall({ asks: [ask], askOutcomes: new Map([["que_1", outcome]]) }).get("1");
  expect(rejected).toMatchObject({ outcome: "reject", answers: null, isWaiting: false });
});

test("without its ask, a call's own input tells what it asked", () => {
  const input = {
    questions: [
      { question: "Which sizes?", multiSelect: true },
      { ...colour, header: "" },
    ],
  };
  const asked = questionsOf(call(input), new Map());
  expect(asked?.questions).toEqual([sizes, { ...colour, header: null }]);
  expect(asked).toMatchObject({ answers: null, isWaiting: false });
});

test.each([
  ...["text", null, {}, { questions: [] }, { questions: ["Which?"] }, { questions: [{ options }] }],
  ...[{ questions: [{ question: "Which?", options: ["Red"] }] }, { questions: [colour, {}] }],
])("the input %j is not understood as questions", (input) => {
  expect(questionsOf(call(input), new Map())).toBeNull();
});

test("an answer that is none of the options is the person's own", () => {
  expect(ownAnswers(colour, ["Blue", "Purple"])).toEqual(["Purple"]);
});

test("a question is not repeated below its call; permissions and questions without a call are shown", () => {
  const permission: AskNote = { ...ask, id: "per_1", kind: "permission", questions: [] };
  const other = { ...ask, id: "que_2", call: "2" };
  const unknown = { ...ask, id: "que_3", call: null };
  expect(asksWithoutCall({ asks: [ask, permission, other, unknown], items: [call({})] })).toEqual([
    permission,
    other,
    unknown,
  ]);
});
