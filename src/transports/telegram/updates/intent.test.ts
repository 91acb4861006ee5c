import fc from "fast-check";
import { expect, test } from "vitest";
import { readIntent } from "./intent.ts";

const commands = new Set(["help", "workspace", "pwd", "repos", "restart"]);
const read = (text: string) => readIntent(text, commands, "Waybill_bot");

test.each([
  ["use repo /tmp/a b ", { kind: "command", name: "workspace", args: "/tmp/a b" }],
  ["Use Repo ~/x", { kind: "command", name: "workspace", args: "~/x" }],
  ["where am i?", { kind: "command", name: "pwd", args: "" }],
  ["PWD", { kind: "command", name: "pwd", args: "" }],
  ["list repos", { kind: "command", name: "repos", args: "" }],
  ["restart assistant", { kind: "command", name: "restart", args: "" }],
  ["/help", { kind: "command", name: "help", args: "" }],
  ["/HELP@waybill_BOT now\nplease", { kind: "command", name: "help", args: "now\nplease" }],
  ["/help@other_bot", { kind: "for_others" }],
  ["/unknown", { kind: "relay" }],
  ["/unknown@other_bot", { kind: "for_others" }],
  ["use repo", { kind: "relay" }],
  ["please restart", { kind: "relay" }],
  ["where am i going?", { kind: "relay" }],
  ["/", { kind: "relay" }],
])("%s", (text, expected) => {
  expect(read(text)).toEqual(expected);
});

test("any text can be read, and only known commands are commands", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const intent = read(text);
      if (intent.kind === "command") expect(commands.has(intent.name)).toBe(true);
    }),
  );
});
