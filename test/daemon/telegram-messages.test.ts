/** Telegram as a person uses it: a real daemon and real grammY, and a Bot API on loopback. */
import { describe, expect, test } from "vitest";
import type { StartedBot } from "../support/telegram/telegram-world.ts";
import { botTexts, saysIn, startBot } from "../support/telegram/telegram-world.ts";

describe.concurrent("a private chat", () => {
  test("a message is answered in its chat, as a reply, once", async (t) => {
    const { chat } = await startBot(t);
    const sent = chat.send("What is six times seven?");
    await saysIn(chat, /The answer is 42/);
    const [answer] = chat.messages.filter(({ isFromBot }) => isFromBot);
    expect(answer).toMatchObject({ replyTo: sent.message_id });
    expect(botTexts(chat)).toEqual(["The answer is 42."]);
  });

  test("a message sent while the daemon was off is answered when it is back", async (t) => {
    const before = ({ chat }: StartedBot) => void chat.send("Are you there?");
    const { chat } = await startBot(t, { before });
    await saysIn(chat, /The answer is 42/);
  });
});

describe.concurrent("files", () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );

  test("an album reaches the agent as one message with all its files", async (t) => {
    const { world, chat } = await startBot(t, {
      // Before the daemon polls: a slow machine might get its parts more than a second apart, as two messages.
      before: ({ chat: ann }) =>
        void ann.sendAlbum([
          { bytes: png, caption: "What is this?" },
          { bytes: Buffer.concat([png, Buffer.from("2")]) },
        ]),
    });
    await saysIn(chat, /The answer is 42/);
    const prompts = world.daemon.prompts();
    expect(prompts).toHaveLength(1);
    expect(prompts[0]?.text).toContain("What is this?");
    expect(prompts[0]?.files).toHaveLength(2);
    expect(botTexts(chat)).toHaveLength(1);
  });

  test("a document without text is a message, and one that bots cannot download is refused with a reason", async (t) => {
    const { world, chat } = await startBot(t);
    const { telegram, daemon } = world;
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

  test("a file that cannot be downloaded at first is downloaded later, and nothing is lost", async (t) => {
    const { world, chat } = await startBot(t);
    const { telegram, daemon } = world;
    telegram.fail({ method: "getFile", times: 2, with: { type: "badGateway" } });
    chat.sendDocument({ bytes: "port = 8080", name: "settings.toml", mimeType: "text/plain" });
    await saysIn(chat, /The answer is 42/);
    expect(daemon.prompts()).toHaveLength(1);
  });
});
