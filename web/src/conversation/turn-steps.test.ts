import { expect, test } from "vitest";
import type { ShownItem } from "../live/turns.ts";
import type { Step } from "./turn-steps.ts";
import { stepsOf } from "./turn-steps.ts";

const item = (id: string, fields: Partial<ShownItem>): ShownItem => ({
  ...{ id, kind: "message", role: null, name: null, parent: null, status: "completed", parts: [] },
  ...{ startedAt: 0, endedAt: 1, nativeSession: null },
  ...fields,
});
const said = (id: string, text: string, fields: Partial<ShownItem> = {}) =>
  item(id, { role: "assistant", parts: [{ type: "text", id: `${id}-text`, text }], ...fields });
const called = (call: string, parent: string, name = "bash") =>
  item(`call:${call}`, { kind: "tool_call", name, parent });
const returned = (call: string) => item(`result:${call}`, { kind: "tool_result", parent: `call:${call}` });

const names = (steps: readonly Step[]): unknown[] =>
  steps.map((step) => {
    if (step.type === "text") return step.text;
    if (step.type !== "tool") return step.type;
    return [step.call.name, step.result?.id ?? null, ...(step.below.length > 0 ? [names(step.below)] : [])];
  });

test("a call is shown with its result, and a running one without", () => {
  const steps = stepsOf([said("a", "I look."), called("1", "a", "read"), returned("1"), called("2", "a", "bash")]);
  expect(names(steps)).toEqual(["I look.", ["read", "result:1"], ["bash", null]]);
});

test("a subagent's steps are below its call, including its own calls", () => {
  const steps = stepsOf([
    said("a", "I delegate."),
    called("1", "a", "task"),
    item("b", { role: "user", parent: "call:1", parts: [{ type: "text", id: "p", text: "Find it." }] }),
    said("c", "I search.", { parent: "call:1", nativeSession: "ses_2" }),
    called("2", "c", "grep"),
    returned("2"),
    returned("1"),
    said("d", "Found."),
  ]);
  expect(names(steps)).toEqual([
    "I delegate.",
    ["task", "result:1", ["Find it.", "I search.", ["grep", "result:2"]]],
    "Found.",
  ]);
});

test("a call that asks questions is a step of its own kind", () => {
  const questions = [{ header: null, question: "Which colour?", options: [], multiple: false }];
  const asked = { questions, outcome: "answered", answers: [["Blue"]], isWaiting: false };
  const input = { type: "tool_call" as const, call: "1", name: "question", input: {} };
  const call = { ...called("1", "a", "question"), parts: [input] };
  const steps = stepsOf([said("a", "I ask."), call, returned("1")], new Map([["1", asked]]));
  expect(steps[1]).toMatchObject({ type: "question", call, result: { id: "result:1" }, asked });
});

test("the prompt and empty texts are not steps", () => {
  const prompt = item("p", { role: "user", parts: [{ type: "text", id: "t", text: "Is it green?" }] });
  expect(names(stepsOf([prompt, said("a", "  "), said("b", "Yes.")]))).toEqual(["Yes."]);
});

test("thoughts, changed files, plans and pictures are separate steps", () => {
  const steps = stepsOf([
    item("a", {
      role: "assistant",
      parts: [
        { type: "reasoning", id: "r", text: "Hm." },
        { type: "image", id: "i", mime: "image/png", name: null },
      ],
    }),
    item("files:a", {
      kind: "file_change",
      parent: "a",
      parts: [{ type: "file", path: "x", change: "added", diff: null }],
    }),
    item("plan", { kind: "plan", parts: [{ type: "json", id: "plan", value: [] }] }),
  ]);
  expect(names(steps)).toEqual(["reasoning", "image", "files", "plan"]);
});
