/** What must hold in chats whose daemon was killed. */
import { expect } from "vitest";
import type { KilledChats } from "./telegram-kills.ts";

export function expectOneAnswerEach({ fates, orders }: KilledChats): void {
  const sent = fates.map((topic) => topic.map(({ text }) => text));
  expect(sent.flat().length).toBeGreaterThan(1);
  expect(fates).toEqual(sent.map((texts) => texts.map((text) => ({ text, prompts: 1, answers: 1 }))));
  expect(orders).toEqual(sent);
}
