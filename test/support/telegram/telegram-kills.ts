/**
 * Kills the daemon with SIGKILL between an update's arrival and the answer in the chat: at a named moment, or at random under
 * many topics. The chats and the agent's journal, which are never killed, show the result of each message.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { ChatHandle } from "@waybill/fake-bot-api";
import type { DaemonProcess } from "../daemon/daemon-process.ts";
import type { Program } from "../daemon/program.ts";
import { appearances, TelegramWorld } from "./telegram-world.ts";

/** For each sent text, in order. */
export type ChatFate = { text: string; prompts: number; answers: number };
export type KilledChats = {
  /** By topic. */
  fates: ChatFate[][];
  /** The answers of each topic, in order of arrival. */
  orders: string[][];
  /** What was being sent at each kill: Telegram may have it although its commit is missing. */
  underWay: string[];
};

export const answering = { always: [{ steps: [{ echo: "Done as you asked: " }] }], stepMs: 2 };

/**
 * Two messages in one chat; the worker dies at the moment, and the next worker continues. `apart`: the second message is
 * sent while no worker runs, so that the rows of the first can be counted.
 */
export async function killAt(failPoint: string, { apart = false } = {}): Promise<KilledChats> {
  const world = await TelegramWorld.ofProgram({ script: answering });
  try {
    const chat = world.telegram.privateChat(world.ann);
    const shown = appearances(world.telegram, chat);
    const killed = await world.daemon.worker({ WAYBILL_FAIL_POINT: failPoint });
    const texts = ["Sort the first file.", "Sort the second file."];
    for (const text of apart ? texts.slice(0, 1) : texts) chat.send(text);
    const { signal } = await killed.exit();
    if (signal !== "SIGKILL") throw new Error(`the worker did not reach ${failPoint}`);
    for (const text of apart ? texts.slice(1) : []) chat.send(text);
    const worker = await world.daemon.worker();
    const topic = { chat, thread: undefined, texts, shown };
    await answersIn(topic);
    return whatBecameOf(world, worker, [topic]);
  } finally {
    await world.dispose();
  }
}

type Topic = { chat: ChatHandle; thread: number | undefined; texts: string[]; shown: (thread?: number) => string[] };

/** People write in ten topics while the worker is killed this many times at random. */
export async function killAtRandom(kills: number): Promise<KilledChats> {
  const world = await TelegramWorld.ofProgram();
  try {
    const group = world.telegram.supergroup({ topics: true, title: "Work", members: [world.ann] });
    const shown = appearances(world.telegram, group);
    world.configure({ script: answering, settings: { maxConcurrentTopics: 10 } }, [group]);
    let worker = await world.daemon.worker();
    const topics = Array.from({ length: 10 }, (_, number): Topic => {
      return { chat: group, thread: group.createTopic(`Topic ${number}`), texts: [], shown };
    });
    const underWay: string[] = [];
    for (let killed = 0; killed < kills; killed++) {
      write(topics, killed);
      await wait(20 + Math.random() * 1000);
      worker.kill("SIGKILL");
      await worker.exit();
      // What it wrote to its sockets before its death arrives before this call.
      await fetch(`${world.telegram.url}/bot${world.telegram.token}/getMe`);
      // A chat has one call at a time.
      underWay.push(JSON.stringify(callsIn(group, world).at(-1)?.params ?? null));
      worker = await world.daemon.worker();
    }
    write(topics, kills);
    for (const topic of topics) await answersIn(topic);
    return { ...(await whatBecameOf(world, worker, topics)), underWay };
  } finally {
    await world.dispose();
  }
}

function callsIn(chat: ChatHandle, { telegram }: TelegramWorld<Program>) {
  return telegram.calls().filter(({ params }) => String(params.chat_id) === String(chat.id));
}

/** One more message in each of some topics. */
function write(topics: readonly Topic[], round: number): void {
  for (const [number, { chat, thread, texts }] of topics.entries()) {
    if ((number + round) % 3 === 2) continue;
    const text = `Sort file ${round} of topic ${number}.`;
    texts.push(text);
    chat.send(text, thread === undefined ? {} : { thread });
  }
}

async function answersIn({ chat, thread, texts }: Topic): Promise<void> {
  await chat.waitFor(
    ({ messages }) => texts.every((text) => messages.some((message) => isAnswer(message, thread, text))),
    { timeoutMs: 120_000 },
  );
}

const answerTo = (text: string) => `Done as you asked: ${text}`;

type Shown = ChatHandle["messages"][number];

function isAnswer({ isFromBot, thread, text }: Shown, wanted: number | undefined, to: string): boolean {
  return isFromBot && thread === wanted && text === answerTo(to);
}

/** After a stop, when nothing more can arrive. */
async function whatBecameOf(
  world: TelegramWorld<Program>,
  worker: DaemonProcess,
  topics: readonly Topic[],
): Promise<KilledChats> {
  const prompts = world.daemon.prompts().map(({ text }) => text);
  worker.kill("SIGTERM");
  await worker.exit();
  const fates = topics.map(({ chat, thread, texts }) =>
    texts.map((text): ChatFate => {
      const answers = chat.messages.filter((message) => isAnswer(message, thread, text)).length;
      return { text, prompts: prompts.filter((prompt) => prompt.endsWith(text)).length, answers };
    }),
  );
  const orders = topics.map(({ thread, texts, shown }) =>
    shown(thread).flatMap((answer) => texts.filter((text) => answer === answerTo(text))),
  );
  return { fates, orders, underWay: [] };
}
