/**
 * Reads what an observation needs: a short slice of each session that an attempt went to, and more of it where that does
 * not reach back to the prompt. The cost does not grow with the session in the common case.
 */
import { messageOf } from "../app-error.ts";
import type { TimeoutContext } from "../clock.ts";
import { withTimeout } from "../clock.ts";
import type { Policy } from "../core/delivery/policy.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { dayOf } from "../core/lane/daily-limit.ts";
import type { Lane } from "../core/lane/lane.ts";
import { isSameAddress, laneAddress } from "../core/message/address.ts";
import type { Mail } from "../core/message/message.ts";
import { replyAddress } from "../core/message/message.ts";
import { dependsOnRequest } from "../core/proof/acknowledgement.ts";
import type { Observation } from "../core/proof/observation.ts";
import { unobserved, unreadable } from "../core/proof/observation.ts";
import { observe } from "../core/proof/observe.ts";
import type { ArrivedMessage } from "../core/proof/sends.ts";
import type { TranscriptSlice, UsedBelow } from "../core/transcript/transcript.ts";
import type { Runtime } from "../runtimes/port.ts";
import type { Store } from "../store/port.ts";
import type { AskRegistry } from "./ask-registry.ts";

export type Reading = TimeoutContext & { lane: Lane; runtime: Runtime | undefined; policy: Policy; store: Store };

export async function readObservation(
  record: DeliveryRecord,
  reading: Reading & { asks: AskRegistry; replies: readonly Mail[] },
): Promise<Observation> {
  const { runtime, policy } = reading;
  if (record.attemptList.length === 0) return unobserved;
  if (!runtime) return unreadable("runtime_not_active");
  const sessions = [...new Set(record.attemptList.map((attempt) => attempt.sessionId))];
  const sender = replyAddress(record);
  const arrived = ({ text, relayOfMessageId, recipient }: Mail): ArrivedMessage => ({
    text,
    relayOfMessageId,
    isToSender: isSameAddress(recipient, sender),
  });
  const look = async (limit: number | null) => {
    const slices = await Promise.all(sessions.map((session) => readSlice(session, limit, { ...reading, runtime })));
    reading.asks.observed(
      record,
      slices.flatMap((slice) => slice.asks),
      reading.clock.now(),
    );
    const input = {
      slices,
      attempts: record.attemptList,
      messageId: record.messageId,
      replyRecipient: record.replyRecipient,
      takesIds: runtime.traits.takesIds,
      mailbox: reading.replies.map(arrived),
    };
    const first = observe(input);
    if (!first.settled || !wantsMore(first)) return first;
    const mailbox = first.awaitsSend ? [...input.mailbox, ...(await sentByLane(reading)).map(arrived)] : input.mailbox;
    return observe({ ...input, mailbox, request: await requestText(record, reading) });
  };
  try {
    for (const limit of [policy.readLimit, widerBy * policy.readLimit]) {
      const limited = await look(limit);
      if (!limited.needsFullHistory) return limited;
    }
    return await look(null);
  } catch (error) {
    return unreadable(messageOf(error));
  }
}

/** A turn of many steps is many rows long. Only what began before that is worth the whole session. */
const widerBy = 8;

/** Most turns need neither: what the message asked for, and what else the agent has written. */
function wantsMore({ awaitsSend, evidence }: Observation): boolean {
  const { finalText, noticeText } = evidence;
  return awaitsSend || noticeText !== null || (finalText !== null && dependsOnRequest(finalText));
}

/** Also what names no message: a send to somebody else is known at its destination like any other. */
function sentByLane({ store, lane }: Reading): Promise<Mail[]> {
  return store.mailFrom(laneAddress(lane.id), recentMessages);
}

const recentMessages = 200;

/** What the message said. */
export async function requestText(
  record: DeliveryRecord,
  { store, lane }: Pick<Reading, "store" | "lane">,
): Promise<string | null> {
  const message = await store.message({ kind: "lane", lane: lane.id }, record.messageId);
  return message?.text ?? null;
}

/** Every read also counts what the agent has used, so that none of it is missed. */
export async function readSlice(
  sessionId: string,
  limit: number | null,
  reading: Reading & { runtime: Runtime },
): Promise<TranscriptSlice> {
  const { lane, runtime, policy, store } = reading;
  const read = (signal: AbortSignal) => runtime.read(lane, sessionId, limit, signal);
  const slice = await withTimeout(reading, policy.observeLimitMs, read);
  const used = usageIn(slice);
  if (used.length > 0) {
    const entries = used.map(({ createdAt, ...entry }) => ({ ...entry, day: dayOf(createdAt) }));
    await store.countUsage(lane.id, entries);
  }
  return slice;
}

/** By the runtime's own messages, those of subtasks included. */
export function usageIn({ rows, usedBelow = [] }: TranscriptSlice): UsedBelow[] {
  const used = [...usedBelow];
  for (const { id, createdAt, usage } of rows) if (usage) used.push({ messageId: id, createdAt, ...usage });
  return used;
}
