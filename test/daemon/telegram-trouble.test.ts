/** Failures of the Bot API and odd input: each ends without loss, and the topic's next message is answered. */
import { rmSync } from "node:fs";
import type { Fault } from "@waybill/fake-bot-api";
import type { TestContext } from "vitest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answered, answersTo, expectOneAnswer, patience, TroubleWorld } from "../support/telegram/telegram-trouble.ts";
import { botTexts, saysIn, startBot } from "../support/telegram/telegram-world.ts";

/** Shared by most tests. */
let trouble: TroubleWorld;
beforeAll(async () => {
  trouble = await TroubleWorld.start(80, 50);
});
afterAll(() => trouble.dispose());

const error = (code: number, description: string): Fault => ({ type: "error", code, description });

/** `mayRepeat`: the call took effect, but the caller does not know and may repeat it. */
const faults: [name: string, fault: Fault, mayRepeat: boolean][] = [
  ["400", error(400, "Bad Request: something about the text"), false],
  ["401", error(401, "Unauthorized"), false],
  ["403", error(403, "Forbidden: bot was blocked by the user"), false],
  ["404", error(404, "Not Found"), false],
  ["409", error(409, "Conflict"), false],
  ["429", { type: "tooManyRequests", retryAfterS: 1 }, false],
  ["500", error(500, "Internal Server Error"), false],
  ["502 with a page", { type: "badGateway" }, false],
  ["a connection dropped before the call takes effect", { type: "cut", when: "before" }, false],
  ["a connection dropped after the call took effect", { type: "cut", when: "after" }, true],
  ["no answer, and the call had no effect", { type: "hang", when: "before" }, false],
  ["no answer, but the call took effect", { type: "hang", when: "after" }, true],
  ["garbage", { type: "garbage" }, true],
];

describe.concurrent("a call that sends", () => {
  test.each(faults)("an answer in a private chat: %s", async (_, fault, mayRepeat) => {
    const chat = trouble.person();
    const failed = trouble.fail(["sendRichMessage", "sendMessage"], chat, fault);
    const text = trouble.send(chat);
    await failed;
    const next = trouble.send(chat);
    await answered(chat, text);
    await answered(chat, next);
    if (!mayRepeat) return expectOneAnswer(chat, text, next);
    for (const one of [text, next]) expect(answersTo(chat, one).length).toBeLessThanOrEqual(2);
  });

  test.each(faults)("an answer that replaces the Working message in a group: %s", async (_, fault) => {
    const chat = trouble.group();
    const failed = trouble.fail(["editMessageText"], chat, fault, "Done as you asked");
    const text = await trouble.begin(chat);
    await trouble.finish(chat);
    await failed;
    const next = trouble.send(chat);
    await answered(chat, text);
    await answered(chat, next);
    // Repeating an edit does not add a message.
    expectOneAnswer(chat, text, next);
  });

  test.each(faults)("the reaction that a message is stored: %s", async (_, fault) => {
    const chat = trouble.person();
    const failed = trouble.fail(["setMessageReaction"], chat, fault);
    const text = trouble.send(chat);
    await failed;
    const next = trouble.send(chat);
    await answered(chat, text);
    await answered(chat, next);
    expectOneAnswer(chat, text, next);
  });
});

describe.concurrent("chats that change", () => {
  test("a group becomes a supergroup: earlier messages are answered in the new one", async () => {
    const group = trouble.group();
    await trouble.ask(group);
    const text = await trouble.begin(group);
    const next = trouble.telegram.migrate(group);
    await trouble.finish(group);
    await answered(next, text);
    await trouble.ask(next);
    expectOneAnswer(next, text);
  });

  test("a topic is deleted: the answer comes without the thread", async () => {
    const forum = trouble.forum();
    const thread = forum.createTopic("Short-lived");
    const text = await trouble.begin(forum, thread);
    forum.deleteTopic(thread);
    await trouble.finish(forum, thread);
    await answered(forum, text);
    expect(answersTo(forum, text).map((message) => message.thread)).toEqual([undefined]);
    await trouble.ask(forum);
  });

  test("a topic is closed: the answer still arrives", async () => {
    const forum = trouble.forum();
    const thread = forum.createTopic("Closed");
    const text = await trouble.begin(forum, thread);
    forum.closeTopic(thread);
    await trouble.finish(forum, thread);
    await answered(forum, text);
    forum.reopenTopic(thread);
    await trouble.ask(forum, { thread });
  });

  test("the bot is blocked: the answer arrives once it is unblocked", async () => {
    const chat = trouble.person();
    const text = trouble.send(chat, {}, trouble.text("later"));
    await trouble.telegram.nextCall("setMessageReaction", ({ chat_id }) => String(chat_id) === String(chat.id));
    chat.block();
    trouble.answerLater();
    await trouble.refused(chat);
    expect(answersTo(chat, text)).toEqual([]);
    chat.unblock();
    await answered(chat, text);
    await trouble.ask(chat);
    expectOneAnswer(chat, text);
  });

  test("the bot is removed from a group: the answer arrives once it is back", async () => {
    const group = trouble.group();
    const text = await trouble.begin(group);
    group.removeBot();
    await trouble.finish(group);
    await trouble.refused(group);
    group.addBot();
    await answered(group, text);
    await trouble.ask(group);
    expectOneAnswer(group, text);
  });
});

describe.concurrent("unusual messages", () => {
  test("a forwarded and a quoted message are answered", async () => {
    const chat = trouble.person();
    const first = chat.send(trouble.text());
    await answered(chat, first.text ?? "");
    chat.forward(first);
    await chat.waitFor(() => answersTo(chat, first.text ?? "").length === 2, patience);
    await trouble.ask(chat, { replyTo: first.message_id, quote: "Sort" });
  });

  test("a reply in a group without topics stays in its conversation", async () => {
    const group = trouble.group();
    const first = group.send(trouble.text());
    await answered(group, first.text ?? "");
    const text = trouble.text();
    const reply = { message_id: first.message_id, date: 0, text: "Sort" };
    group.sendContent({ text, message_thread_id: first.message_id, reply_to_message: reply } as never);
    await answered(group, text);
    expect(answersTo(group, text).map(({ thread }) => thread)).toEqual([undefined]);
  });

  test("an album, a sticker, a caption without text and a location do not hold up the message after them", async () => {
    const chat = trouble.person();
    chat.sendAlbum([{ bytes: "one", caption: "Two pictures." }, { bytes: "two" }]);
    chat.sendContent({ sticker: { file_id: "s" } } as never);
    chat.sendContent({ caption: "A caption alone." } as never);
    chat.sendContent({ location: { latitude: 1, longitude: 2 } } as never);
    await trouble.ask(chat);
  });

  test("a text of 2,048 emoji is received and answered whole", async () => {
    const chat = trouble.person();
    const emoji = 2048;
    chat.send("🎉".repeat(emoji));
    const shown = () => botTexts(chat).join("").split("🎉").length - 1;
    await chat.waitFor(() => shown() >= emoji, patience);
    await trouble.ask(chat);
    expect(shown()).toBe(emoji);
  });

  test("an edit of a waiting message replaces it, and one of an answered message follows it", async ({ expect }) => {
    const chat = trouble.person();
    const slow = await trouble.begin(chat);
    const waits = chat.send(trouble.text());
    await chat.waitFor(({ messages }) => messages.find((one) => one.id === waits.message_id)?.reactions.includes("👀"));
    const edited = trouble.text();
    chat.edit(waits.message_id, edited);
    await expect.poll(() => trouble.waiting(chat)).toEqual([edited]);
    await trouble.finish(chat);
    await answered(chat, slow);
    await answered(chat, edited);
    expect(answersTo(chat, waits.text ?? "")).toEqual([]);
    const again = trouble.text();
    chat.edit(waits.message_id, again);
    await answered(chat, again);
    expectOneAnswer(chat, slow, edited, again);
    const isMarked = async (text: string) => (await trouble.admitted(text))?.startsWith("(I edited");
    expect([await isMarked(edited), await isMarked(again)]).toEqual([false, true]);
  });

  test("several edits in a second each replace the one that waits, even by its first text", async ({ expect }) => {
    const chat = trouble.person();
    const slow = await trouble.begin(chat);
    const first = trouble.text();
    const second = trouble.text();
    const { message_id: id } = chat.send(first);
    for (const text of [second, first]) {
      await expect.poll(() => trouble.waiting(chat)).toHaveLength(1);
      chat.edit(id, text);
      await expect.poll(() => trouble.waiting(chat)).toEqual([text]);
    }
    await trouble.finish(chat);
    await answered(chat, slow);
    await answered(chat, first);
    // The agent knows the first text now.
    const third = trouble.text();
    for (const text of [second, third]) chat.edit(id, text);
    await answered(chat, third);
    expectOneAnswer(chat, first, third);
  });

  test("dates far in the future and in the past change nothing", async () => {
    const chat = trouble.person();
    const texts = [4_000_000_000, 1, -5].map((date) => {
      const text = trouble.text();
      chat.sendContent({ text, date } as never);
      return text;
    });
    for (const text of texts) await answered(chat, text);
  });

  const malformed: [name: string, update: Record<string, unknown>][] = [
    ["nothing but an id", {}],
    ["a message that is not an object", { message: "hello" }],
    ["a message that is null", { message: null }],
    ["a message without a chat", { message: { message_id: 1, date: 1, text: "x" } }],
    ["a chat without an id", { message: { message_id: 1, date: 1, chat: { type: "private" }, text: "x" } }],
    ["a text that is a number", { message: { message_id: 1, date: 1, chat: { id: 1, type: "private" }, text: 7 } }],
    ["a message without a sender", { message: { message_id: 1, date: 1, chat: { id: 1, type: "group" }, text: "x" } }],
    ["an unknown kind", { something_new: { of: ["the", "future"] } }],
    ["a button without a message", { callback_query: { id: "1", from: { id: 1 }, data: "stop:1" } }],
    ["a button without data", { callback_query: { id: "1", from: { id: 1 } } }],
    ["a membership without a status", { my_chat_member: { chat: { id: 1, type: "group" } } }],
    ["an edit of nothing", { edited_message: {} }],
    ["an id that restarts lower", { update_id: 5 }],
    ["an id that is not a number", { update_id: "five" }],
  ];
  test.each(malformed)("%s", async (_, update) => {
    trouble.telegram.raw(update);
    await trouble.ask(trouble.person());
  });
});

function personOf({ id }: { id: number }) {
  return { id, is_bot: false, first_name: "Somebody" };
}

/** Not concurrent, because Telegram drops updates with ids lower than a confirmed one. */
describe("updates", () => {
  test("updates that are repeated in another order are answered once", async () => {
    const chat = trouble.person();
    const [from] = chat.messages.map((one) => one.from);
    // Lower than the ids of all other updates, because confirming these ids drops lower ones.
    const updates = [1, 2, 3].map((number) => {
      const text = trouble.text();
      const message = { message_id: 9000 + number, date: 1, chat: chat.info, from: from ?? personOf(chat), text };
      return { update_id: 700_000_000 + number, message };
    });
    for (const update of [...updates, ...updates.toReversed()]) trouble.telegram.raw(update);
    for (const { message } of updates) await answered(chat, message.text);
    await trouble.ask(chat);
    for (const { message } of updates) expectOneAnswer(chat, message.text);
  });
});

describe("refused people and places", () => {
  test("a stranger gets no answer and is logged once; a group needs both its chat and the user listed", async () => {
    const { telegram, world } = trouble;
    const stranger = telegram.user({ first_name: "Eve" });
    const alone = telegram.privateChat(stranger);
    const listed = trouble.group();
    const unlisted = telegram.group({ members: [world.ann] });
    for (const text of ["Let me in.", "Please."]) alone.send(text);
    listed.send("Let me in.", { from: stranger });
    unlisted.send("Let me in.");
    await trouble.ask(trouble.person());
    for (const { id } of [alone, unlisted]) await world.daemon.waitForLine({ event: "telegram_stranger", chat: id });
    for (const chat of [alone, listed, unlisted]) expect(chat.messages.filter((one) => one.isFromBot)).toEqual([]);
    const lines = world.daemon.lines.filter(({ event }) => event === "telegram_stranger");
    expect(lines.filter(({ chat }) => chat === alone.id)).toHaveLength(1);
    expect(lines.filter(({ chat }) => chat === unlisted.id)).toHaveLength(1);
  });

  test("a deleted workspace is reported in the chat, and the topic can choose another one", async () => {
    const chat = trouble.person();
    const [gone, other] = [trouble.world.repository("gone"), trouble.world.repository("other")];
    chat.send(`use repo ${gone}`);
    await saysIn(chat, /now works in/);
    rmSync(gone, { recursive: true });
    chat.send("Sort it.");
    await saysIn(chat, /⚠️/);
    chat.send(`use repo ${other}`);
    await trouble.ask(chat);
  });
});

/** Each with its own Telegram, because a fault of polling concerns every chat. */
describe.concurrent("polling", () => {
  async function startOwn({ onTestFinished }: TestContext): Promise<TroubleWorld> {
    const started = await TroubleWorld.start(2, 0);
    onTestFinished(() => started.dispose());
    return started;
  }

  const pollFaults = faults.filter(([name]) => !["403", "500"].includes(name));
  test.for(pollFaults)("%s", async ([_, fault], t) => {
    const own = await startOwn(t);
    // Wait until the fault applies: the poll that is already waiting would deliver the message before it.
    await new Promise<void>((resolve) => {
      const where = () => {
        resolve();
        return true;
      };
      own.telegram.fail({ method: "getUpdates", where, with: fault });
    });
    const chat = own.person();
    const text = own.send(chat);
    await answered(chat, text);
    expectOneAnswer(chat, text);
  });

  test("another program polls with the same token for a moment", async (t) => {
    const own = await startOwn(t);
    const { url, token } = own.telegram;
    await fetch(`${url}/bot${token}/getUpdates?timeout=1`);
    await own.ask(own.person());
  });

  test("Telegram is down for a while: messages from before and during that time are answered", async (t) => {
    const own = await startOwn(t);
    const [chat, other] = [own.person(), own.person()];
    const before = own.send(chat, {}, own.text("later"));
    await own.telegram.nextCall("setMessageReaction", ({ chat_id }) => String(chat_id) === String(chat.id));
    await own.telegram.goDown();
    own.answerLater();
    const meanwhile = own.send(other);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await own.telegram.comeBack();
    await answered(chat, before);
    await answered(other, meanwhile);
    expectOneAnswer(chat, before);
    expectOneAnswer(other, meanwhile);
  });
});

describe.concurrent("a start", () => {
  test("getMe fails in several ways before it succeeds", async (t) => {
    const badStarts: Fault[] = [{ type: "badGateway" }, { type: "tooManyRequests", retryAfterS: 1 }];
    const { chat } = await startBot(t, {
      before({ world: { telegram } }) {
        for (const fault of badStarts) telegram.fail({ method: "getMe", with: fault });
      },
    });
    chat.send("Are you there?");
    await saysIn(chat, /The answer is 42/);
  });

  test("a token is revoked: the answer arrives after a restart with a valid one", async (t) => {
    const script = { always: [{ steps: [{ wait: 800 }, { say: "It is 42." }] }] };
    const { world, chat } = await startBot(t, { script });
    const refused = world.telegram.fail({ method: "sendRichMessage", times: 1000, with: error(401, "Unauthorized") });
    chat.send("What is six times seven?");
    await world.daemon.waitForLine({ event: "telegram_token_refused" });
    refused();
    await world.daemon.stop();
    await world.daemon.up();
    await saysIn(chat, /It is 42/);
  });
});
