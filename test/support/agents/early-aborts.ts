/**
 * Prompts that are aborted a moment after they were sent, through OpenCode's API and its own SDK, on one agent: the events
 * that clients got, and how the deliveries ended.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { Message } from "@opencode-ai/sdk/v2/types";
import { expect } from "vitest";
import type { DeliveryRecord } from "../../../src/core/delivery/record.ts";
import type { SeenEvent } from "../opencode/opencode-list.ts";
import type { Reached } from "../opencode/opencode-session.ts";
import { OpencodeSession } from "../opencode/opencode-session.ts";
import { openCodeApi } from "../opencode/opencode-stages.ts";
import type { AgentTurns } from "./agent-scripts.ts";
import type { Agent, AgentKind } from "./side-by-side.ts";
import { startAgent } from "./side-by-side.ts";

/** Turns that take much longer than any abort waits, even on a loaded machine. */
const lastWords = "and now I am at the end.";
const turns: AgentTurns = {
  works: [{ say: `I work on it, ${"and on ".repeat(40)}${lastWords}`, slowly: true }],
  asks: [{ say: "May I?", do: { shell: "sh -c 'sleep 600'" } }, { hangs: "stopped" }],
};

/** Milliseconds after the prompt, or during an ask, or in the allowed tool. */
export type AbortMoment = number | "ask" | "tool";

/** The events for the prompts of one session, and how their deliveries ended. */
export type AbortedSession = {
  /** When each prompt was aborted. */
  moments: readonly AbortMoment[];
  busy: number;
  idle: number;
  /** Messages in the event stream and in the list: people's, the agent's aborted ones, and others. */
  told: MessageCounts;
  listed: MessageCounts;
  /** Those of the session, each once. */
  errors: string[];
  deliveries: Pick<DeliveryRecord, "status" | "attempts" | "lastReason">[];
  /** Of the session in the agent's program, and how many of its turns ran to their end. */
  status: string;
  finished: number;
  /** From each abort to the idle that followed it. */
  idleAfterMs: number[];
};

type MessageCounts = { prompts: number; aborted: number; others: string[] };

/** One list of moments for each session: the first prompt makes the agent open its session. */
export async function abortEarly(
  kind: AgentKind,
  sessions: readonly (readonly AbortMoment[])[],
): Promise<AbortedSession[]> {
  const lanes = sessions.map((_, index) => ({ id: `lane${index}` }));
  const agent = await startAgent(kind, turns, lanes);
  const api = await openCodeApi(agent);
  try {
    const aborted: AbortedSession[] = [];
    for (const [index, moments] of sessions.entries()) aborted.push(await abortIn(agent, api, `lane${index}`, moments));
    return aborted;
  } finally {
    await api.close();
    await agent.dispose();
  }
}

async function abortIn(
  agent: Agent,
  api: Reached,
  lane: string,
  moments: readonly AbortMoment[],
): Promise<AbortedSession> {
  const { directory = "" } = (await agent.waybill.store.lane(lane)) ?? {};
  const session = await new OpencodeSession(api, directory).open(`ses_${lane}`);
  const idleAfterMs: number[] = [];
  try {
    for (const [index, moment] of moments.entries()) {
      await session.prompt(`${typeof moment === "number" ? "works" : "asks"} ${index}`);
      if (typeof moment === "number") await wait(moment);
      else await session.asks(asked(moments.slice(0, index + 1)));
      if (moment === "tool") await allow(session, asked(moments.slice(0, index + 1)));
      const at = performance.now();
      await session.abort();
      await session.untilRest(index + 1);
      idleAfterMs.push(Math.round(performance.now() - at));
    }
    const deliveries = await closedDeliveries(agent, lane);
    await allIsTold(session);
    return {
      moments,
      busy: session.events.filter((event) => statusIn(event, session.id) === "busy").length,
      idle: session.events.filter((event) => statusIn(event, session.id) === "idle").length,
      told: counted([...newestInfos(session).values()]),
      listed: counted((await session.messages()).map(({ info }) => info)),
      errors: session.events.flatMap(errorIn),
      deliveries: deliveries.map(({ status, attempts, lastReason }) => ({ status, attempts, lastReason })),
      ...(await programsView(agent, lane)),
      idleAfterMs,
    };
  } finally {
    await session.close();
  }
}

function asked(moments: readonly AbortMoment[]): number {
  return moments.filter((moment) => typeof moment !== "number").length;
}

/** Resolves when the tool has had the time to start. */
async function allow(session: OpencodeSession, nth: number): Promise<void> {
  await session.reply("once", nth);
  await session.hears(({ type }) => type === "permission.replied");
  await wait(200);
}

/** Once none of them is running. */
async function closedDeliveries({ waybill }: Agent, lane: string): Promise<readonly DeliveryRecord[]> {
  const { store } = waybill;
  let wake = () => {};
  const stop = store.onLog(() => wake());
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const { items } = await store.deliveries({ laneId: lane, limit: 500 });
      if (items.every(({ turnEndedAt, status }) => turnEndedAt !== null || status === "failed_terminal")) return items;
      await changed;
    }
  } finally {
    stop();
  }
}

/** Events from now on come after everything else. */
async function allIsTold(session: OpencodeSession): Promise<void> {
  const title = "over";
  await session.client.session.update({ sessionID: session.id, title }, { throwOnError: true });
  await session.hears(({ type, properties: { info } }) => {
    return type === "session.updated" && (info as { title: string }).title === title;
  });
}

function statusIn({ type, properties: { sessionID, status } }: SeenEvent, id: string): string | null {
  return type === "session.status" && sessionID === id ? (status as { type: string }).type : null;
}

function errorIn({ type, properties: { error } }: SeenEvent): string[] {
  return type === "session.error" ? [errorLine(error as Failed)] : [];
}

function newestInfos({ events, id }: OpencodeSession): Map<string, Message> {
  const infos = events.flatMap(({ type, properties }) => {
    return type === "message.updated" && properties.sessionID === id ? [properties.info as Message] : [];
  });
  return new Map(infos.map((info) => [info.id, info]));
}

type Failed = { name: string; data: { message?: unknown } };

function counted(messages: readonly Message[]): MessageCounts {
  const answers = messages.flatMap((info) => (info.role === "assistant" ? [info] : []));
  const ends = answers.map(({ error }) => (error ? errorLine(error as Failed) : "no error"));
  return {
    prompts: messages.length - answers.length,
    aborted: ends.filter((end) => end === aborted).length,
    others: ends.filter((end) => end !== aborted),
  };
}

const aborted = "MessageAbortedError: Aborted";
const lastReason = "stopped_by_person";

function errorLine({ name, data }: Failed): string {
  return `${name}: ${String(data.message)}`;
}

async function programsView({ waybill }: Agent, laneId: string): Promise<Pick<AbortedSession, "status" | "finished">> {
  const lane = await waybill.store.lane(laneId);
  const runtime = waybill.runtimes.get(lane?.runtime ?? "");
  // If every prompt was stopped before it was sent, there may be no session.
  if (!lane?.sessionId || !runtime) return { status: "idle", finished: 0 };
  const { status, rows } = await runtime.read(lane, lane.sessionId, null, AbortSignal.timeout(60_000));
  return { status, finished: rows.filter(({ role, text }) => role === "assistant" && text.endsWith(lastWords)).length };
}

export function anyMoments(count: number): number[] {
  return Array.from({ length: count }, () => Math.floor(Math.random() * 1000));
}

/** Each prompt: busy once, idle once, shown once, aborted once, and cancelled in the ledger; nothing was asked again. */
export function expectEachAborted(sessions: readonly AbortedSession[]): void {
  for (const { moments, idleAfterMs: _, ...seen } of sessions) {
    const count = moments.length;
    const messages = { prompts: count, aborted: count, others: [] };
    expect(seen, `aborted after ${moments.join(", ")}`).toEqual({
      busy: count,
      idle: count,
      told: messages,
      listed: messages,
      errors: Array(count).fill(aborted),
      deliveries: Array(count).fill({ status: "cancelled", attempts: expect.toBeOneOf([0, 1]), lastReason }),
      status: "idle",
      finished: 0,
    });
  }
}
