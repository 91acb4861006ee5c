/** Telegram as a person uses it: a real daemon and real grammY, and a Bot API on loopback. */
import { afterEach, describe, expect, test } from "vitest";
import type { InProcessDaemon } from "../support/daemon/in-process-daemon.ts";
import type { TelegramWorldOptions } from "../support/telegram/telegram-world.ts";
import { botTexts, saysIn, TelegramWorld } from "../support/telegram/telegram-world.ts";

let world: TelegramWorld<InProcessDaemon>;
afterEach(() => world.dispose());

async function start(options: TelegramWorldOptions = {}): Promise<TelegramWorld<InProcessDaemon>> {
  world = await TelegramWorld.inProcess(options);
  await world.daemon.up();
  return world;
}

describe("a private chat", () => {
  test("a message is answered in its chat, as a reply, once", async () => {
    const { telegram, ann } = await start();
    const chat = telegram.privateChat(ann);
    const sent = chat.send("What is six times seven?");
    await saysIn(chat, /The answer is 42/);
    const [answer] = chat.messages.filter(({ isFromBot }) => isFromBot);
    expect(answer).toMatchObject({ replyTo: sent.message_id });
    expect(botTexts(chat)).toEqual(["The answer is 42."]);
  });

  test("a message sent while the daemon was off is answered when it is back", async () => {
    world = await TelegramWorld.inProcess();
    const chat = world.telegram.privateChat(world.ann);
    chat.send("Are you there?");
    await world.daemon.up();
    await saysIn(chat, /The answer is 42/);
  });
});

describe("files", () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );

  test("an album reaches the agent as one message with all its files", async () => {
    world = await TelegramWorld.inProcess();
    const { telegram, ann, daemon } = world;
    const chat = telegram.privateChat(ann);
    // Before the daemon polls: a slow machine might get its parts more than a second apart, as two messages.
    chat.sendAlbum([{ bytes: png, caption: "What is this?" }, { bytes: Buffer.concat([png, Buffer.from("2")]) }]);
    await world.daemon.up();
    await saysIn(chat, /The answer is 42/);
    const prompts = daemon.prompts();
    expect(prompts).toHaveLength(1);
    expect(prompts[0]?.text).toContain("What is this?");
    expect(prompts[0]?.files).toHaveLength(2);
    expect(botTexts(chat)).toHaveLength(1);
  });

  test("a document without text is a message, and one that bots cannot download is refused with a reason", async () => {
    const { telegram, ann, daemon } = await start();
    const chat = telegram.privateChat(ann);
    chat.sendDocument({ bytes: "port = 8080", name: "settings.toml", mimeType: "text/plain" });
    await saysIn(chat, /The answer is 42/);
    expect(daemon.prompts()[0]?.files).toMatchObject([{ name: "settings.toml" }]);
    telegram.fail({
      method: "getFile",
      with: { type: "error", code: 400, description: "Bad Request: file is too big" },
    });
    chat.sendDocument({ bytes: "x", name: "huge.bin" });
    await saysIn(chat, /does not provide the file "huge.bin"/);
    chat.send("Never mind.");
    await chat.waitFor(() => botTexts(chat).filter((text) => text === "The answer is 42.").length === 2);
    expect(daemon.prompts()).toHaveLength(2);
  });

  test("a file that cannot be downloaded at first is downloaded later, and nothing is lost", async () => {
    const { telegram, ann, daemon } = await start();
    const chat = telegram.privateChat(ann);
    telegram.fail({ method: "getFile", times: 2, with: { type: "badGateway" } });
    chat.sendDocument({ bytes: "port = 8080", name: "settings.toml", mimeType: "text/plain" });
    await saysIn(chat, /The answer is 42/);
    expect(daemon.prompts()).toHaveLength(1);
  });
});
