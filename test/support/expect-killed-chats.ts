/** What must hold in chats whose daemon was killed. */
import { expect } from "vitest";
import type { KilledChats } from "./telegram-kills.ts";

/** One answer each; two only where the answer was under way at a kill. */
export function expectOneAnswerEach({ fates, orders, underWay }: KilledChats): void {
  const sent = fates.map((topic) => topic.map(({ text }) => text));
  expect(sent.flat().length).toBeGreaterThan(1);
  const mayRepeat = (text: string) => underWay.some((call) => call.includes(`Done as you asked: ${text}`));
  const wrong = fates.flat().filter(({ text, prompts, answers }) => {
    return prompts !== 1 || answers < 1 || answers > (mayRepeat(text) ? 2 : 1);
  });
  expect(wrong).toEqual([]);
  expect(orders).toEqual(sent);
}
