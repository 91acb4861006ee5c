/** Telegram as a person has it: the built daemon, real grammY, and a Bot API on loopback. */
import { afterEach, describe, expect, test } from "vitest";
import type { TelegramWorldOptions } from "../support/telegram-daemon.ts";
import { botTexts, saysIn, TelegramWorld } from "../support/telegram-daemon.ts";

let world: TelegramWorld;
afterEach(() => world.dispose());

async function start(options: TelegramWorldOptions = {}): Promise<TelegramWorld> {
  world = await TelegramWorld.create(options);
  await world.up();
  return world;
}

describe("a private chat", () => {
  test("what a person writes is answered in their chat, as a reply, once", async () => {
    const { telegram, ann } = await start();
    const chat = telegram.privateChat(ann);
    const sent = chat.send("What is six times seven?");
    await saysIn(chat, /The answer is 42/);
    const [answer] = chat.messages.filter(({ isFromBot }) => isFromBot);
    expect(answer).toMatchObject({ replyTo: sent.message_id });
    expect(botTexts(chat)).toEqual(["The answer is 42."]);
  });

  test("what was sent while the daemon was off is answered when it is back", async () => {
    world = await TelegramWorld.create();
    const chat = world.telegram.privateChat(world.ann);
    chat.send("Are you there?");
    await world.up();
    await saysIn(chat, /The answer is 42/);
  });
});
