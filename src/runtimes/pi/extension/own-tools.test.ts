import { expect, test } from "vitest";
import { responseIn } from "./own-tools.ts";

const response = { jsonrpc: "2.0", id: 1, result: { tools: [] } };
const notification = { jsonrpc: "2.0", method: "notifications/message", params: {} };

test("a response is read from JSON and from a stream, even after other messages", () => {
  expect(responseIn(JSON.stringify(response), "application/json", 1)).toEqual(response);
  const events = [
    `: hello`,
    `event: message\ndata: ${JSON.stringify(notification)}`,
    `data:${JSON.stringify(response)}`,
  ];
  for (const newline of ["\n", "\r\n"]) {
    const text = `${events.join("\n\n")}\n\n`.replaceAll("\n", newline);
    expect(responseIn(text, "text/event-stream; charset=utf-8", 1)).toEqual(response);
  }
});

test("a response that spans several lines of a stream is joined", () => {
  const text = JSON.stringify(response, null, 2).replace(/^/gm, "data: ");
  expect(responseIn(`${text}\n\n`, "text/event-stream", 1)).toEqual(response);
});

test("a stream that ends too early is an error", () => {
  expect(() => responseIn(`data: ${JSON.stringify(notification)}\n\n`, "text/event-stream", 1)).toThrow("ended before");
});
