import { expect, test } from "vitest";
import { readChatCommand } from "./chat-command.ts";

test.each([
  ["hello", { kind: "send", text: "hello" }],
  ["/help", { kind: "send", text: "/help" }],
  [":12", { kind: "press", button: 12 }],
  [":topic Blue sky", { kind: "topic", name: "Blue sky" }],
  [":topic", { kind: "topic", name: "" }],
  [":edit", { kind: "help" }],
  [":edit No, wait", { kind: "edit", text: "No, wait" }],
  [":quit", { kind: "quit" }],
  [":1x", { kind: "unknown", word: ":1x" }],
  ["  ", { kind: "nothing" }],
])("%j is parsed as a chat command", (line, command) => {
  expect(readChatCommand(line)).toEqual(command);
});
