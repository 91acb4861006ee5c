/** What people do around a crash: the built daemon, killed with SIGKILL. All tests share one, each with its own chat. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { ChatHandle, ShownMessage } from "@waybill/fake-bot-api";
import Database from "better-sqlite3";
import type { Message } from "grammy/types";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readJournal } from "../../src/runtimes/stub/journal.ts";
import type { StubScriptInput } from "../../src/runtimes/stub/script.ts";
import { laneOf, topicKey } from "../../src/transports/telegram/topics/topic.ts";
import type { Program } from "../support/daemon/program.ts";
import { botTexts, saysIn, TelegramWorld } from "../support/telegram/telegram-world.ts";

const permission = { ask: "permission", title: "bash: make clean", detail: { command: "make clean" } } as const;
const script: StubScriptInput = {
  always: [
    { when: "Clean up", steps: [permission, { say: "It is clean." }] },
    { when: "take long", steps: [{ wait: 600_000 }, { say: "Late: 1." }] },
    { when: "take a moment", steps: [{ wait: 3000 }, { say: "A moment later: 2." }] },
    // Until it is stopped, however long the restart takes.
    { when: "Begin", steps: Array.from({ length: 500 }, () => [{ say: "word " }, { wait: 300 }]).flat() },
    { steps: [{ say: "The answer is 42." }] },
  ],
};

let world: TelegramWorld<Program>;
let forum: ChatHandle;
let people: ChatHandle[];

beforeAll(async () => {
  world = await TelegramWorld.ofProgram();
  const { telegram, ann, daemon } = world;
  forum = telegram.supergroup({ title: "Team", topics: true, members: [ann] });
  const others = Array.from({ length: 4 }, () => telegram.user({ first_name: "Ann", username: "ann" }));
  people = [ann, ...others].map((user) => telegram.privateChat(user));
  const settings = {
    telegramAllowedUsers: [ann, ...others].map(({ id }) => id),
    maxConcurrentTopics: 10,
    ...{ progressFirstMs: 200, progressEveryMs: 60_000 },
  };
  world.configure({ script, settings }, [forum]);
  await daemon.up();
});
afterAll(() => world.dispose());

/** A private chat that no other test uses. */
function person(): ChatHandle {
  const chat = people.pop();
  if (!chat) throw new Error("there are fewer people than tests");
  return chat;
}

/** Resolves with the first matching message from the bot. */
function shows(chat: ChatHandle, pattern: RegExp): Promise<ShownMessage> {
  return chat.waitFor(({ messages }) => messages.find(({ isFromBot, text }) => isFromBot && pattern.test(text)));
}

/** What the agent of a private chat got. */
function promptsIn(chat: ChatHandle) {
  const lane = laneOf(topicKey({ chat: chat.id, thread: null }), realpathSync(world.daemon.work));
  return world.daemon.prompts().filter((prompt) => prompt.lane === lane);
}

/** Resolves once the agent has the prompt. */
async function prompted(chat: ChatHandle, text: string): Promise<void> {
  chat.send(text);
  await expect.poll(() => promptsIn(chat).some((prompt) => prompt.text.includes(text))).toBe(true);
}

/** As if the daemon had crashed after it carried out one of the newest updates, but before that was durable. */
function markUnhandled(message: Message, { newer }: { newer: number }): void {
  const store = new Database(join(world.daemon.home, "waybill.db"));
  const found = store
    .prepare<[number], { id: string }>("SELECT id FROM transport_update ORDER BY seq DESC LIMIT 1 OFFSET ?")
    .get(newer);
  const body = JSON.stringify({ update_id: Number(found?.id), message });
  const change = store.prepare("UPDATE transport_update SET handled = 0, body = ? WHERE id = ?").run(body, found?.id);
  store.close();
  expect(change.changes).toBe(1);
}

describe("a permission", () => {
  /** Resolves when all earlier messages to the chat have been sent: a chat's rows are sent in order. */
  async function committed(chat: ChatHandle): Promise<void> {
    chat.send("/pwd");
    await shows(chat, /This topic works in/);
  }

  /** The answers that the agent of a private chat got. */
  function answersIn(chat: ChatHandle) {
    const sessions = new Set(promptsIn(chat).map(({ session }) => session));
    return readJournal(join(world.daemon.home, "stub.jsonl")).filter(
      (entry) => entry.type === "answer" && sessions.has(entry.session),
    );
  }

  test("a reply to the message that asks for a reason is the reason, not a prompt", async () => {
    const chat = person();
    chat.send("Clean up.");
    const ask = await shows(chat, /asks for permission/);
    await chat.press(ask.id, "Reject with a reason…");
    const prompt = await shows(chat, /Reply to this message with the reason/);
    expect(world.telegram.calls("sendRichMessage").map(({ params }) => JSON.stringify(params))).toContainEqual(
      expect.stringContaining("force_reply"),
    );
    await committed(chat);
    await world.daemon.kill();
    await world.daemon.up();
    const reason = chat.send("restart", { replyTo: prompt.id });
    await shows(chat, /Rejected by ann: restart/);
    await saysIn(chat, /It is clean/);
    chat.edit(reason.message_id, "Use npm instead.");
    chat.send("Next.");
    await chat.waitFor(() => promptsIn(chat).length > 1);
    expect(answersIn(chat)).toMatchObject([{ decision: "reject", message: "restart" }]);
    expect(promptsIn(chat).map(({ text }) => text)).toMatchObject([
      expect.stringContaining("Clean up."),
      expect.stringContaining("Next."),
    ]);
  });

  test("after a restart the buttons still work", async () => {
    const chat = person();
    chat.send("Clean up.");
    const ask = await shows(chat, /asks for permission/);
    await committed(chat);
    await world.daemon.kill();
    const press = chat.press(ask.id, "Once", { timeoutMs: 60_000 });
    await world.daemon.up();
    expect(await press).toMatchObject({ text: "✅ Allowed once by ann." });
    await saysIn(chat, /It is clean/);
    expect(botTexts(chat).filter((text) => text.includes("asks for permission"))).toHaveLength(1);
  });
});

describe("a command", () => {
  async function queued(chat: ChatHandle, text: string): Promise<void> {
    const sent = chat.send(text);
    await chat.waitFor(({ messages }) => messages.find(({ replyTo }) => replyTo === sent.message_id));
  }

  test("a stop that is handled again after a crash does not stop a later turn", async () => {
    const chat = person();
    await prompted(chat, "take long");
    const stop = chat.send("/stop");
    await saysIn(chat, /was stopped/);
    await prompted(chat, "take a moment");
    await world.daemon.kill();
    markUnhandled(stop, { newer: 1 });
    await world.daemon.up();
    await saysIn(chat, /A moment later: 2/);
    expect(botTexts(chat).filter((text) => /was stopped|Nothing is running/.test(text))).toHaveLength(1);
  });

  test("a withdrawal that is handled again after a crash withdraws nothing else", async () => {
    const chat = person();
    await prompted(chat, "take long");
    for (const text of ["second task", "third task"]) await queued(chat, text);
    const withdrawal = chat.send("/withdraw");
    await saysIn(chat, /Withdrawn: third task/);
    await world.daemon.kill();
    markUnhandled(withdrawal, { newer: 0 });
    await world.daemon.up();
    const asked = chat.send("/queue");
    const { text } = await chat.waitFor(({ messages }) =>
      messages.find(({ replyTo, isFromBot }) => isFromBot && replyTo === asked.message_id),
    );
    expect(text).toMatch(/^1 message waiting:\n\n1\. second task/);
  });

  test("a /new that is handled again after a crash opens no second topic", async () => {
    const here = forum.createTopic("Here");
    const sent = forum.send("/new Twice", { thread: here });
    await saysIn(forum, /Opened the topic/, here);
    await world.daemon.kill();
    markUnhandled(sent, { newer: 0 });
    const store = new Database(join(world.daemon.home, "waybill.db"));
    const made = forum.topics.find(({ name }) => name === "Twice")?.id;
    const key = store.prepare<[], { id: string }>("SELECT id FROM transport_update WHERE NOT handled").get();
    const write = "INSERT INTO transport_state (transport, key, value) VALUES ('telegram', ?, ?)";
    store.prepare(write).run(`opened:${key?.id}`, String(made));
    store.close();
    await world.daemon.up();
    // A topic's messages are handled after earlier commands that change it.
    forum.send("hello", { thread: here });
    await saysIn(forum, /The answer is 42/, here);
    expect(forum.topics.filter(({ name }) => name === "Twice")).toHaveLength(1);
  });
});

test("a restart of the worker repeats no progress and continues the draft", async () => {
  const chat = person();
  const drafts = () =>
    world.telegram.calls("sendRichMessageDraft").filter(({ params }) => String(params.chat_id) === String(chat.id));
  chat.send("Begin.");
  await saysIn(chat, /Still working/);
  // A new draft shows that earlier rows are durable, and durable rows are not sent again.
  const moreDrafts = () => {
    const before = drafts().length;
    return chat.waitFor(() => drafts().length > before);
  };
  await moreDrafts();
  world.daemon.killWorker();
  await moreDrafts();
  await moreDrafts();
  expect(botTexts(chat).filter((text) => text.includes("Still working"))).toHaveLength(1);
  await chat.waitFor(({ draft }) => draft);
  chat.stopDraft();
  await saysIn(chat, /Stopped/);
  expect(botTexts(chat)).toEqual(["⏹ Stopped."]);
});
