import { expect, test } from "vitest";
import { answerRow, aTool, userRow } from "../../../test/support/core/transcript.ts";
import { digestOf } from "./transcript.ts";

test("the digest lists messages in order with their authors, between a header and a footer", () => {
  const lines = digestOf([
    userRow("u1", { text: " What colour is it? " }),
    answerRow("u1", { text: "It is blue." }),
  ])?.split("\n");
  expect(lines?.slice(1, -1)).toEqual(["user: What colour is it?", "assistant: It is blue."]);
  expect(lines).toHaveLength(4);
});

test("thoughts, tools, system rows and empty rows are left out", () => {
  const digest = digestOf([
    userRow("u1", { text: "Hello" }),
    answerRow("u1", { reasoning: "a thought", tools: [aTool("bash", { output: "secret" })] }),
    userRow("u2", { role: "system", text: "a rule" }),
    userRow("u3", { role: "unknown", text: "a riddle" }),
  ]);
  expect(digest?.split("\n").slice(1, -1)).toEqual(["user: Hello"]);
});

test.each([[[]], [[userRow("u1", { text: "  " })]]])("a conversation without text has no digest", (rows) => {
  expect(digestOf(rows)).toBeNull();
});

test("at most the 50 newest messages are kept", () => {
  const rows = Array.from({ length: 60 }, (_, index) => userRow(`u${index}`, { text: `message ${index}` }));
  const kept = digestOf(rows)?.split("\n").slice(1, -1);
  expect(kept).toHaveLength(50);
  expect(kept?.at(0)).toBe("user: message 10");
  expect(kept?.at(-1)).toBe("user: message 59");
});

test("a long message is shortened and marked as such", () => {
  const digest = digestOf([userRow("u1", { text: "x".repeat(5000) })]);
  expect(digest).toContain("x […]");
  expect(digest?.length).toBeLessThan(1000);
});

test("the digest is bounded, and keeps the newest messages", () => {
  const rows = Array.from({ length: 50 }, (_, index) => userRow(`u${index}`, { text: `${index} `.padEnd(590, "x") }));
  const digest = digestOf(rows);
  expect(digest?.length).toBeLessThan(8500);
  expect(digest).toContain("user: 49 ");
  expect(digest).not.toContain("user: 30 ");
});
