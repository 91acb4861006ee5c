import { Bot } from "grammy";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../test/support/core/manual-clock.ts";
import { refusal, startTelegram } from "../../../test/support/telegram/fake-telegram.ts";

const texts = (updates: { message?: { text?: string } }[]) => updates.map(({ message }) => message?.text);

describe("getUpdates", () => {
  test("returns updates again until a higher offset confirms them", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    chat.send("one");
    chat.send("two");
    const first = await api.getUpdates();
    expect(texts(first)).toEqual(["one", "two"]);
    const [one, two] = first.map(({ update_id }) => update_id);
    expect(one).toBeGreaterThan(1_000_000);
    expect(two).toBe((one ?? 0) + 1);
    expect(texts(await api.getUpdates())).toEqual(["one", "two"]);
    expect(texts(await api.getUpdates({ offset: two ?? 0 }))).toEqual(["two"]);
    expect(texts(await api.getUpdates())).toEqual(["two"]);
    expect(await api.getUpdates({ offset: (two ?? 0) + 1 })).toEqual([]);
    expect(telegram.pendingUpdates()).toBe(0);
  });

  test("returns no more than its limit", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    for (const text of ["one", "two", "three"]) chat.send(text);
    expect(texts(await api.getUpdates({ limit: 2 }))).toEqual(["one", "two"]);
  });

  test("with a negative offset drops all but the newest", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    for (const text of ["one", "two", "three"]) chat.send(text);
    expect(texts(await api.getUpdates({ offset: -2 }))).toEqual(["two", "three"]);
    expect(texts(await api.getUpdates())).toEqual(["two", "three"]);
  });

  test("waits, and returns as soon as an update arrives", async () => {
    const clock = new ManualClock();
    const { telegram, api } = await startTelegram({ clock });
    const chat = telegram.privateChat();
    const gate = telegram.hold("getUpdates", "before");
    const waiting = api.getUpdates({ timeout: 30 });
    await gate.arrived;
    gate.release();
    await expect.poll(() => clock.pending).toBe(1);
    chat.send("hi");
    expect(texts(await waiting)).toEqual(["hi"]);
    expect(clock.pending).toBe(0);
  });

  test("returns nothing when its timeout has passed", async () => {
    const clock = new ManualClock();
    const { api } = await startTelegram({ clock });
    const waiting = api.getUpdates({ timeout: 30 });
    await expect.poll(() => clock.pending).toBe(1);
    await clock.advance(30_000);
    expect(await waiting).toEqual([]);
  });

  test("returns only the types that the bot requested, and remembers the request", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const first = chat.send("one");
    chat.react(first, "👍");
    await api.getUpdates({ offset: -1, allowed_updates: ["message", "message_reaction"] });
    chat.edit(first, "One");
    chat.react(first, "👀");
    chat.send("two");
    const [, ...later] = await api.getUpdates();
    expect(later.map((update) => Object.keys(update)[1])).toEqual(["message_reaction", "message"]);
  });

  test("drops an update after 24 hours", async () => {
    const clock = new ManualClock();
    const { telegram, api } = await startTelegram({ clock });
    const chat = telegram.privateChat();
    chat.send("old");
    await clock.advance(23 * 3600_000);
    chat.send("new");
    expect(texts(await api.getUpdates())).toEqual(["old", "new"]);
    await clock.advance(3600_000);
    expect(texts(await api.getUpdates())).toEqual(["new"]);
  });

  test("stops waiting when its caller disconnects", async () => {
    const clock = new ManualClock();
    const { telegram } = await startTelegram({ clock });
    const caller = new AbortController();
    const url = `${telegram.url}/bot${telegram.token}/getUpdates?timeout=30`;
    const waiting = expect(fetch(url, { signal: caller.signal })).rejects.toThrow("aborted");
    await expect.poll(() => clock.pending).toBe(1);
    caller.abort();
    await waiting;
    await expect.poll(() => clock.pending).toBe(0);
    expect(telegram.calls()).toMatchObject([{ outcome: { type: "lost" } }]);
  });

  test("ends the waiting request when another one arrives", async () => {
    const clock = new ManualClock();
    const { api } = await startTelegram({ clock });
    const first = refusal(api.getUpdates({ timeout: 30 }));
    await expect.poll(() => clock.pending).toBe(1);
    expect(await api.getUpdates()).toEqual([]);
    expect(await first).toBe(
      "409: Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    );
  });

  test("stops a second bot with the same token", async () => {
    const clock = new ManualClock();
    const { telegram } = await startTelegram({ clock });
    const client = { client: { apiRoot: telegram.url } };
    const [one, two] = [new Bot(telegram.token, client), new Bot(telegram.token, client)];
    const first = refusal(one.start());
    await expect.poll(() => clock.pending).toBe(1);
    const second = two.start();
    expect(await first).toMatch(/^409: Conflict/);
    await two.stop();
    await second;
  });
});

test("a bot that fetched an update and crashed gets it again after a restart", async () => {
  const { telegram, api } = await startTelegram();
  const chat = telegram.privateChat();
  chat.send("hi");
  const [fetched] = await api.getUpdates({ timeout: 30 });
  const bot = new Bot(telegram.token, { client: { apiRoot: telegram.url } });
  bot.on("message", (context) => context.reply(`Update ${context.update.update_id}.`));
  const running = bot.start();
  await chat.waitFor(({ messages }) => messages.find(({ text }) => text === `Update ${fetched?.update_id}.`));
  await bot.stop();
  await running;
  expect(telegram.pendingUpdates()).toBe(0);
});

test("a test can deliver an update with any content", async () => {
  const { telegram, api } = await startTelegram();
  telegram.raw({ message: { nothing: "of use" } });
  telegram.raw({ update_id: 7, from_the_future: {} });
  expect(await api.getUpdates()).toMatchObject([{ message: { nothing: "of use" } }, { update_id: 7 }]);
});
