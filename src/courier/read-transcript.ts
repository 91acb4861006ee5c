/**
 * Reads what an observation needs: a short slice of each session that an attempt went to, and more if the slice does
 * not reach back to the prompt. In the common case the cost does not grow with the session.
 */

import type { Policy } from "../core/delivery/policy.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import type { Lane } from "../core/lane/lane.ts";
import { dayOf } from "../core/lane/lane.ts";
import type { Mail } from "../core/message/message.ts";
import { isSameAddress, laneAddress, replyAddress } from "../core/message/message.ts";
import { dependsOnRequest } from "../core/proof/acknowledgement.ts";
import type { Observation } from "../core/proof/observation.ts";
import { unobserved, unreadable } from "../core/proof/observation.ts";
import { observe } from "../core/proof/observe.ts";
import type { ArrivedMessage } from "../core/proof/sends.ts";
import type { TranscriptSlice, UsedBelow } from "../core/transcript/transcript.ts";
import { messageOf } from "../platform/app-error.ts";
import type { TimeoutContext } from "../platform/clock.ts";
import { withTimeout } from "../platform/clock.ts";
import type { Runtime } from "../runtimes/port.ts";
import type { MailStore, UsageStore } from "../store/port.ts";
import type { AskRegistry } from "./ask-registry.ts";

export type Reading = TimeoutContext & {
  lane: Lane;
  runtime: Runtime | undefined;
  policy: Policy;
  store: Pick<MailStore, "message" | "mailFrom"> & Pick<UsageStore, "countUsage">;
};

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

/** A turn with many steps has many rows. Only a turn that began before those is worth reading the whole session. */
const widerBy = 8;

/** Most turns need neither the message's own text nor the agent's other messages. */
function wantsMore({ awaitsSend, evidence }: Observation): boolean {
  const { finalText, noticeText } = evidence;
  return awaitsSend || noticeText !== null || (finalText !== null && dependsOnRequest(finalText));
}

/** Includes messages that name no message: any send is judged by its destination, whoever it went to. */
function sentByLane({ store, lane }: Reading): Promise<Mail[]> {
  return store.mailFrom(laneAddress(lane.id), recentMessages);
}

const recentMessages = 200;

/** The message's own text. */
export async function requestText(
  record: DeliveryRecord,
  { store, lane }: Pick<Reading, "store" | "lane">,
): Promise<string | null> {
  const message = await store.message({ kind: "lane", lane: lane.id }, record.messageId);
  return message?.text ?? null;
}

/** Every read also counts the agent's usage, so that none of it is missed. */
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

/** Usage by the runtime's own messages, including those of subtasks. */
export function usageIn({ rows, usedBelow = [] }: TranscriptSlice): UsedBelow[] {
  const used = [...usedBelow];
  for (const { id, createdAt, usage } of rows) if (usage) used.push({ messageId: id, createdAt, ...usage });
  return used;
}
