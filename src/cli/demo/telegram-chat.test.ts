import type { ShownMessage } from "@waybill/fake-bot-api";
import { expect, test } from "vitest";
import { allAnswered } from "./telegram-chat.ts";

const message = (fields: Partial<ShownMessage>) => ({ text: "", keyboard: [], ...fields }) as unknown as ShownMessage;
const question = message({ id: 1, isFromBot: false, text: "Is it green?" });
const reply = (...buttons: string[]) =>
  message({
    ...{ id: 2, isFromBot: true, replyTo: 1, text: "…" },
    keyboard: [buttons.map((data) => ({ text: data, callback_data: data }))],
  });

test.each<[string, ShownMessage[], boolean]>([
  ["an answer ends the wait", [question, reply()], true],
  ["a message without a reply does not", [question], false],
  ["a queued sign does not", [question, reply("why:1", "withdraw:1")], false],
  ["progress does not", [question, reply("stop:1")], false],
  ["an ask does not", [question, reply("ask:once", "ask:reject")], false],
  ["an answer after progress does", [question, reply("stop:1"), reply()], true],
  ["a failure does, although it can be retried", [question, reply("retry:1", "why:1")], true],
  ["commands need no reply", [message({ id: 1, isFromBot: false, text: "/status" })], true],
])("%s", (_name, messages, expected) => {
  expect(allAnswered({ messages, drafts: [] })).toBe(expected);
});

test("a draft is not an answer yet", () => {
  const drafts = [{ id: 1, text: "It is" }] as unknown as Parameters<typeof allAnswered>[0]["drafts"];
  expect(allAnswered({ messages: [question, reply()], drafts })).toBe(false);
});
