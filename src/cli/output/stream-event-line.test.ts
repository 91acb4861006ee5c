import { expect, test } from "vitest";
import type { Message, StreamEvent } from "../../client/index.ts";
import { streamEventLine } from "./stream-event-line.ts";

function lineOf(text: string): string | null {
  const message = { id: "m1", from: "user", to: { lane: "chat" }, lane: "chat", text, outcome: null } as Message;
  const event = { type: "message", cursor: "1", at: "2026-01-01T00:00:00.000Z", message } as StreamEvent;
  return streamEventLine(event, (_style, shown) => shown);
}

test("a message is one line, with its text and its id", () => {
  expect(lineOf("Is it\ngreen?")).toMatch(/^\d\d:\d\d:\d\d {2}chat {2}user → chat: Is it green\? \[m1\]$/);
});

test("a long text is cut, and the id still follows", () => {
  const line = lineOf("word ".repeat(1000)) ?? "";
  expect(line).toMatch(/word… \[m1\]$/);
  expect(line.length).toBeLessThan(250);
});
