import { expect, test } from "vitest";
import { judgeTelegram } from "./judge-telegram.ts";
import type { TelegramFacts } from "./telegram-facts.ts";

const found = {
  state: "found" as const,
  bot: { id: 1, username: "my_bot", readsGroups: true },
  webhook: { url: "", waiting: 0, lastError: null },
};
const facts: TelegramFacts = {
  ...{ lookup: found, apiRoot: "https://api.telegram.org", allowedUsers: 1, allowedChats: 0 },
  ...{ webhookUrl: null, workspace: null },
};
const statuses = (changes: Partial<TelegramFacts>) =>
  judgeTelegram({ ...facts, ...changes }).map(({ name, status }) => `${name}: ${status}`);

test("a working bot is ok, and no bot needs no checks", () => {
  expect(statuses({})).toEqual(["Telegram bot: ok", "Telegram updates: ok", "Telegram access: ok"]);
  expect(judgeTelegram(null)).toEqual([]);
});

test("a refused token fails, and an unreachable network is a warning", () => {
  expect(statuses({ lookup: { state: "refused" } })[0]).toBe("Telegram bot: failed");
  expect(statuses({ lookup: { state: "unreachable" } })[0]).toBe("Telegram bot: warning");
});

test("an empty list of people is a warning", () => {
  expect(statuses({ allowedUsers: 0 })).toContain("Telegram access: warning");
});

test("a webhook that blocks polling, that differs, or that fails is a warning", () => {
  const webhook = { url: "https://a.example/telegram/webhook", waiting: 3, lastError: null };
  const lookup = { ...found, webhook };
  const failing = { ...found, webhook: { ...webhook, lastError: "Connection refused" } };
  expect(statuses({ lookup })).toContain("Telegram updates: warning");
  expect(statuses({ lookup, webhookUrl: "https://b.example" })).toContain("Telegram updates: warning");
  expect(statuses({ lookup, webhookUrl: webhook.url })).toContain("Telegram updates: ok");
  expect(statuses({ lookup: failing, webhookUrl: webhook.url })).toContain("Telegram updates: warning");
  const [, shown] = judgeTelegram({ ...facts, lookup: failing, webhookUrl: webhook.url });
  expect(shown?.detail).toMatch(/Connection refused.*3 waiting at Telegram/);
});

test("privacy mode is checked if groups are allowed", () => {
  const lookup = { ...found, bot: { ...found.bot, readsGroups: false } };
  expect(statuses({ lookup })).not.toContain("Telegram privacy mode: warning");
  expect(statuses({ lookup, allowedChats: 1 })).toContain("Telegram privacy mode: warning");
  expect(statuses({ allowedChats: 1 })).toContain("Telegram privacy mode: ok");
});
