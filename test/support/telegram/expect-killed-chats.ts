/** What must hold in chats after their daemon was killed. */
import { expect } from "vitest";
import type { KilledChats } from "./telegram-kills.ts";

/** One answer each, plus one more for each kill while it was being sent. */
export function expectOneAnswerEach({ fates, orders, underWay }: KilledChats): void {
  const sent = fates.map((topic) => topic.map(({ text }) => text));
  expect(sent.flat().length).toBeGreaterThan(1);
  const copies = (text: string) => underWay.filter((call) => call.includes(`Done as you asked: ${text}`)).length;
  const wrong = fates.flat().filter(({ text, prompts, answers }) => {
    return prompts !== 1 || answers < 1 || answers > 1 + copies(text);
  });
  expect(wrong).toEqual([]);
  expect(orders).toEqual(sent);
}
