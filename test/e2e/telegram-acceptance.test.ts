/**
 * What a relay from Telegram to OpenCode must do, with real parts: the built daemon, grammY, a Bot API on loopback, and
 * OpenCode with a scripted model. All tests share one daemon and depend on their order.
 */
import { realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChatHandle } from "@waybill/fake-bot-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { laneOf, sessionKey, topicKey } from "../../src/transports/telegram/topics/topic.ts";
import type { OpencodeBot } from "../support/telegram/telegram-opencode.ts";
import { serverOf, startOpencodeBot } from "../support/telegram/telegram-opencode.ts";
import { botTexts } from "../support/telegram/telegram-world.ts";

const patience = { timeoutMs: 120_000 };
const built = "The **build** has three steps:\n\n1. compile\n2. test\n3. pack\n\n```sh\nnpm run ready\n```";
/** Runs until the test creates the file. */
const command = "until [ -e go ]; do sleep 0.1; done";
const bash = { tool: "bash", input: { command, description: "waits" } };
const script = {
  rules: [
    { when: "Question", steps: [{ say: "Answer to: {{text}}" }] },
    { when: "build", steps: [{ tools: [bash] }, { say: built, pieceLength: 6 }] },
  ],
};

let bot: OpencodeBot;
let group: ChatHandle;
/** A group without topics. */
let plainGroup: ChatHandle;
let chat: ChatHandle;
let chatOfBea: ChatHandle;
let count = 0;

beforeAll(async () => {
  bot = await startOpencodeBot({
    script,
    prepare({ telegram, ann }) {
      group = telegram.supergroup({ topics: true, members: [ann] });
      plainGroup = telegram.supergroup({ members: [ann] });
      const bea = telegram.user({ username: "bea" });
      chatOfBea = telegram.privateChat(bea);
      const settings = {
        telegramAllowedUsers: [ann.id, bea.id],
        permissionPolicy: "trusted",
        // On a slow machine, progress reports would appear among the expected messages.
        progressMaxCount: 0,
      };
      return { settings, groups: [group, plainGroup] };
    },
  });
  chat = bot.world.telegram.privateChat(bot.world.ann);
});
afterAll(() => bot.dispose());

/** Sends a question, and resolves when it is answered in the same topic. */
async function ask(where: ChatHandle, thread?: number): Promise<void> {
  count += 1;
  const text = `Question ${count}?`;
  const sent = where.send(text, thread === undefined ? {} : { thread });
  await where.waitFor(
    ({ messages }) =>
      messages.some(
        (message) =>
          message.isFromBot &&
          message.replyTo === sent.message_id &&
          message.thread === thread &&
          message.text.includes(text),
      ),
    patience,
  );
}

/** Sends something that Waybill answers itself, and resolves with the answer. */
async function say(text: string, answer: RegExp, thread?: number): Promise<string> {
  const sent = group.send(text, thread === undefined ? {} : { thread });
  return group.waitFor(
    ({ messages }) =>
      messages.find((one) => one.isFromBot && one.replyTo === sent.message_id && answer.test(one.text))?.text,
    patience,
  );
}

async function sessionOf(where: ChatHandle, thread: number | null, directory: string): Promise<string> {
  const lane = laneOf(topicKey({ chat: where.id, thread }), realpathSync(directory));
  const { sessionId } = await bot.world.daemon.client().lane(lane);
  if (sessionId === null) throw new Error(`lane ${lane} has no session`);
  return sessionId;
}

const prompts = () => bot.model.calls.filter(({ kind }) => kind !== "title").map(({ prompt }) => prompt);

test("topic keys and session keys have the documented form", () => {
  expect(topicKey({ chat: -100, thread: 7 })).toBe("-100:7");
  expect(topicKey({ chat: 5, thread: null })).toBe("5:root");
  expect(sessionKey("5:root", "/code")).toBe('["5:root","/code"]');
});

test("/start is answered as the first message of a chat, and ignored afterwards", async () => {
  chat.send("/start");
  await chat.waitFor(() => botTexts(chat).length === 1, patience);
  chat.send("/start");
  await ask(chat);
  expect(botTexts(chat).filter((text) => text.includes("passes what you write"))).toHaveLength(1);
});

test("an answer that the model streams is shown as a draft and arrives unchanged", async () => {
  // The tool runs, and then the model stops speaking, until the test has seen what the chat shows of it.
  const { telegram, daemon: program } = bot.world;
  const gate = join(program.work, "go");
  chatOfBea.send("How is the build made?");
  await chatOfBea.waitFor(({ draft }) => draft?.canStop && draft.text === "", patience);
  bot.gates.holdBefore("steps:", "pack");
  writeFileSync(gate, "");
  const half = await chatOfBea.waitFor(({ draft }) => draft && draft.text.length > 20 && draft.text, patience);
  expect(built.startsWith(half.slice(0, 20))).toBe(true);
  bot.gates.letPass("steps:");
  await chatOfBea.waitFor(({ draft }) => draft && draft.text.length > half.length, patience);
  bot.gates.letPass("pack");
  await chatOfBea.waitFor(() => botTexts(chatOfBea).length > 0, patience);
  expect(botTexts(chatOfBea)).toEqual([built]);
  const drafts = telegram
    .calls("sendRichMessageDraft")
    .filter(({ params }) => String(params.chat_id) === String(chatOfBea.id))
    .map(({ params }) => JSON.stringify(params.rich_message));
  expect(new Set(drafts).size).toBeGreaterThan(2);

  rmSync(gate);
  plainGroup.send("And the build here?");
  await plainGroup.waitFor(
    () => botTexts(plainGroup).some((text) => text.includes(`⏳ bash \`${command}\``)),
    patience,
  );
  writeFileSync(gate, "");
  // A preview may already contain the whole text.
  await plainGroup.waitFor(() => botTexts(plainGroup).includes(built), patience);
  expect(botTexts(plainGroup)).toEqual([built]);
});

describe("sessions", () => {
  let one = 0;
  let other = 0;

  test("a private chat and topics create and continue independent OpenCode sessions", async () => {
    const { work } = bot.world.daemon;
    one = group.createTopic("One");
    other = group.createTopic("Other");
    await Promise.all([ask(chat), ask(group, one), ask(group, other)]);
    const first = await Promise.all([
      sessionOf(chat, null, work),
      sessionOf(group, one, work),
      sessionOf(group, other, work),
    ]);
    expect(new Set(first).size).toBe(3);
    await Promise.all([ask(chat), ask(group, one)]);
    expect(await sessionOf(chat, null, work)).toBe(first[0]);
    expect(await sessionOf(group, one, work)).toBe(first[1]);
  });

  test("one topic switches between workspaces and keeps the session of each", async () => {
    const { work } = bot.world.daemon;
    const second = bot.world.repository("second");
    const before = await sessionOf(group, one, work);
    await say(`use repo ${second}`, /now works in/, one);
    await ask(group, one);
    const inSecond = await sessionOf(group, one, second);
    expect(inSecond).not.toBe(before);
    await say(`use repo ${work}`, /continues/, one);
    await ask(group, one);
    expect(await sessionOf(group, one, work)).toBe(before);
    await say(`use repo ${second}`, /continues/, one);
    await ask(group, one);
    expect(await sessionOf(group, one, second)).toBe(inSecond);
  });

  test("workspace intents are deterministic and never reach the model", async () => {
    const before = prompts().length;
    const second = realpathSync(bot.world.repository("second"));
    expect(await say("where am i", /works in/, one)).toContain(second);
    expect(await say("PWD", /works in/, one)).toContain(second);
    expect(await say("list repos", /Workspaces/, one)).toContain(second);
    expect(await say("repos", /Workspaces/, other)).not.toContain(second);
    await say("use repo /etc", /may not work in|⚠️/, one);
    expect(prompts()).toHaveLength(before);
    await ask(group, one);
    expect(prompts().join("\n")).not.toMatch(/use repo|where am i|list repos/);
  });

  test("restart assistant restarts the worker without the model, and sessions continue", async () => {
    const { daemon: program } = bot.world;
    const session = await sessionOf(group, other, program.work);
    const worker = program.daemonFile.workerPid;
    await say("restart assistant", /Restarting/, other);
    await group.waitFor(({ messages }) => messages.some(({ text }) => text === "Waybill is back."), patience);
    await ask(group, other);
    expect(program.daemonFile.workerPid).not.toBe(worker);
    expect(await sessionOf(group, other, program.work)).toBe(session);
    expect(botTexts(group).filter((text) => text === "Waybill is back.")).toHaveLength(1);
    expect(prompts().join("\n")).not.toContain("restart assistant");
  });

  test("an OpenCode server that died is restarted, and the conversation continues", async () => {
    const { daemon: program } = bot.world;
    const session = await sessionOf(group, other, program.work);
    const { pid } = serverOf(bot.world);
    if (!pid) throw new Error("the server has no process id");
    process.kill(pid, "SIGKILL");
    await ask(group, other);
    expect(serverOf(bot.world).pid).not.toBe(pid);
    expect(await sessionOf(group, other, program.work)).toBe(session);
  });

  test("a stale session is replaced once, and the message is answered", async () => {
    const { daemon: program } = bot.world;
    const session = await sessionOf(group, other, program.work);
    const { port, password } = serverOf(bot.world);
    const headers = { Authorization: `Basic ${Buffer.from(`opencode:${password}`).toString("base64")}` };
    const removed = await fetch(`http://127.0.0.1:${port}/session/${session}`, { method: "DELETE", headers });
    expect(removed.ok).toBe(true);
    await ask(group, other);
    expect(await sessionOf(group, other, program.work)).not.toBe(session);
  });
});
