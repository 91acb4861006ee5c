import { expect, test } from "vitest";
import { demoCases, demoWords } from "./demo-words.ts";

const lanes = (runtime: string) => [
  { id: "demo", runtime },
  { id: "sleepy", runtime: "stub" },
];

test("with OpenCode, every word of its script is offered", () => {
  const texts = demoCases(lanes("opencode")).map(({ text }) => text);
  for (const word of ["empty", "ack", "slow", "permission", "question", "edit"]) expect(texts).toContain(word);
});

test("without OpenCode, only what the demo agents can show is offered", () => {
  expect(demoCases(lanes("stub")).map(({ lane }) => lane)).toEqual(["demo", "sleepy"]);
});

test("a lane that was removed is not offered", () => {
  expect(demoCases(lanes("opencode").slice(0, 1)).every(({ lane }) => lane === "demo")).toBe(true);
  expect(demoWords("other")).toEqual([]);
});
