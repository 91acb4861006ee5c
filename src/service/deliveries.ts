/** The part of the service that sends messages, and shows and controls deliveries. */
import { randomUUID } from "node:crypto";
import { neededFromPerson, outlook } from "../core/delivery/outlook.ts";
import { tooManyTurns } from "../core/delivery/reasons.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import type { HandOver } from "../core/inbox/hand-over.ts";
import { whyWaiting } from "../core/inbox/hand-over.ts";
import { isPaused, laneName, pauseOf } from "../core/lane/lane.ts";
import type { Page } from "../core/log/log-item.ts";
import type { Mail, Message } from "../core/message/message.ts";
import { replyAddress } from "../core/message/message.ts";
import type { ChooseLaneChange } from "../mail/admission.ts";
import { AppError } from "../platform/app-error.ts";
import { systemClock, withTimeout } from "../platform/clock.ts";
import { knownLane, knownMember } from "../store/known.ts";
import type { Applied } from "../store/port.ts";
import type { Engine } from "./engine.ts";
import type { ChoiceRules } from "./lane-choice.ts";
import { checkedChoice } from "./lane-choice.ts";
import type { DeliveryDetail, DeliveryState, ListedDelivery, Service, ShownMail } from "./service.ts";

export type DeliveryServiceOptions = ChoiceRules & {
  engine: Engine;
  /** Aborted once this process shuts down and accepts no new messages. */
  draining: AbortSignal;
};
type DeliveryService = Pick<
  Service,
  "send" | "message" | "messages" | "withdraw" | "deliveries" | "deliveriesOf" | "delivery" | "retry" | "cancel"
>;

export function deliveryService(options: DeliveryServiceOptions): DeliveryService {
  const { engine, draining } = options;
  const { store, interventions } = engine;
  const stateOf = (record: DeliveryRecord) => deliveryState(engine, record);
  /** Messages of a removed lane can still be read; a lane that never had any is an error. */
  const refuseUnknownLane = async (lane: string | undefined, { items }: Page<unknown>) => {
    if (lane !== undefined && items.length === 0) await knownLane(store, lane);
  };
  const intervene = async (applied: Promise<Applied>, refusal: string): Promise<DeliveryState> =>
    stateOf(appliedRecord(await applied, refusal));

  return {
    async send(message, choose) {
      refuseWhileDraining(draining);
      const sender = choose ? { choose: withDefaults(choose, options) } : {};
      const { id = randomUUID(), ...rest } = message;
      const { message: sent, delivery, known } = await engine.admission.admit({ ...rest, id }, sender);
      if (sent.recipient.kind !== "lane") {
        const handOver = await handOverSoon(sent, engine);
        return { message: sent, delivery: null, known, handOver, waits: whyNotHandedOver(handOver) };
      }
      if (!delivery) throw prunedDelivery(sent.id);
      // A message that was admitted before may have changed since.
      const record = (await store.delivery(delivery.id)) ?? delivery;
      const state = await stateOf(record);
      return { message: sent, delivery: state, known, handOver: null, waits: await whyItWaits(state, engine) };
    },
    message: (lane, id) => store.message({ kind: "lane", lane }, id),
    async messages(filter) {
      const page = await store.messages(filter);
      await refuseUnknownLane(filter.lane, page);
      if (filter.member && page.items.length === 0) await knownMember(store, filter.member);
      return { ...page, items: await withHandOvers(page.items, engine) };
    },
    async withdraw(messageId, lane) {
      const { items } = await store.deliveries({ messageId, laneId: lane, limit: 2 });
      const [record, another] = items;
      if (!record) throw messageUnknown(messageId);
      if (another) throw ambiguousMessage(messageId);
      return intervene(interventions.withdraw(record.id, person), "be withdrawn: it was sent, or has ended");
    },

    async deliveries({ lane, ...filter }) {
      const page = await store.deliveries({ ...filter, laneId: lane });
      await refuseUnknownLane(lane, page);
      const states = await deliveryStates(engine, page.items);
      return { items: await Promise.all(states.map((state) => withExcerpt(state, engine))), next: page.next };
    },
    deliveriesOf: async (messages) => deliveryStates(engine, await store.deliveriesOf(messages)),
    async delivery(id) {
      return detailOf(await stateOf(await knownDelivery(engine, id)), engine);
    },
    async retry(id) {
      await knownDelivery(engine, id);
      return intervene(interventions.retry(id, person), "be retried: it has not failed for good");
    },
    async cancel(id) {
      await knownDelivery(engine, id);
      return intervene(interventions.cancel(id, person), "be cancelled: it has ended");
    },
  };
}

/** Why a message is currently not sent, if its sender should know: something that only a person or time can change. */
export async function whyItWaits(
  { record, queuedBehind }: DeliveryState,
  { store, runtimes, courier }: Engine,
): Promise<string | null> {
  if (record.status !== "pending") return null;
  const lane = await store.lane(record.laneId);
  if (!lane) return null;
  const name = laneName(lane);
  if (record.heldReason !== null) return "it is held until a person releases both of you";
  if (isPaused(lane)) return `${name} is paused (${pauseOf(lane)})`;
  if (!runtimes.has(lane.runtime)) return `the program of ${name} is not running`;
  if (queuedBehind !== null && queuedBehind.needs !== null) {
    return `${name} is waiting for ${queuedBehind.needs} from a person`;
  }
  return courier.waitReason(lane.id) === tooManyTurns
    ? "the limit of topics working at the same time is reached"
    : null;
}

/** How long a sender waits to learn that the row is in its file. */
const handOverMs = 1000;

/** Null for a message that is in no file. */
async function handOverSoon(message: Message, { store, teamFiles }: Engine): Promise<HandOver | null> {
  const { recipient, id } = message;
  const known = recipient.kind === "member" ? await store.handOver(recipient, id) : null;
  if (known?.state !== "waiting") return known;
  const soon = { clock: systemClock, closing: new AbortController().signal };
  // If that takes longer, the row is written later.
  await withTimeout(soon, handOverMs, () => teamFiles.settled(known.team)).catch(() => {});
  return store.handOver(recipient, id);
}

function whyNotHandedOver(handOver: HandOver | null): string | null {
  return handOver?.state === "waiting" ? whyWaiting(handOver) : null;
}

function withHandOvers(mails: readonly Mail[], { store }: Engine): Promise<ShownMail[]> {
  return Promise.all(
    mails.map(async (mail) =>
      mail.recipient.kind === "member" ? { ...mail, handOver: await store.handOver(mail.recipient, mail.id) } : mail,
    ),
  );
}

/** The token belongs to the person who runs this daemon. */
export const person = "user";

export function refuseWhileDraining(draining: AbortSignal): void {
  if (!draining.aborted) return;
  throw new AppError({
    code: "draining",
    message: "This daemon is shutting down and accepts no new messages.",
    hint: "Send it again in a moment, with the same message id.",
    retryable: true,
  });
}

export async function deliveryState(engine: Engine, record: DeliveryRecord): Promise<DeliveryState> {
  const [state] = await deliveryStates(engine, [record]);
  return state ?? { record, queuedBehind: null };
}

/** Queries each lane once, however many deliveries wait in it. */
async function deliveryStates({ store }: Engine, records: readonly DeliveryRecord[]): Promise<DeliveryState[]> {
  const ahead = new Map<string, DeliveryRecord | null>();
  for (const { status, laneId } of records) {
    if (status !== "pending" || ahead.has(laneId)) continue;
    // In this order: the first waiting delivery may take the lane between the two reads.
    const waits = await store.head(laneId);
    ahead.set(laneId, (await store.outstanding(laneId)) ?? waits);
  }
  return records.map((record) => {
    const first = record.status === "pending" ? ahead.get(record.laneId) : null;
    if (!first || first.id === record.id) return { record, queuedBehind: null };
    return { record, queuedBehind: { messageId: first.messageId, needs: neededFromPerson(first) } };
  });
}

/** Enough of a text to recognise the message in a list. */
const excerptCharacters = 200;

async function withExcerpt(state: DeliveryState, { store }: Engine): Promise<ListedDelivery> {
  const { laneId, messageId } = state.record;
  const message = await store.message({ kind: "lane", lane: laneId }, messageId);
  return {
    ...state,
    excerpt: message && [...message.text.slice(0, 2 * excerptCharacters)].slice(0, excerptCharacters).join(""),
  };
}

async function knownDelivery({ store }: Engine, id: string): Promise<DeliveryRecord> {
  const record = await store.delivery(id);
  if (record) return record;
  throw new AppError({
    code: "delivery_unknown",
    message: `There is no delivery "${id}".`,
    hint: "`waybill deliveries` lists them; answered ones are removed after some days.",
  });
}

/** A lane that changes to another runtime gets the defaults of a new lane. */
function withDefaults(choose: ChooseLaneChange, options: DeliveryServiceOptions): ChooseLaneChange {
  return (lane, isUsed) => {
    const change = choose(lane, isUsed);
    const checked = checkedChoice({ ...lane, ...change }, options);
    return change.runtime === undefined ? change : { ...change, ...checked };
  };
}

async function detailOf(state: DeliveryState, { store, courier }: Engine): Promise<DeliveryDetail> {
  const { record, queuedBehind } = state;
  const lane = await store.lane(record.laneId);
  return {
    ...state,
    message: await store.message({ kind: "lane", lane: record.laneId }, record.messageId),
    replies: await store.writtenBack(record.messageId, record.laneId, replyAddress(record)),
    history: await store.history(record.id),
    outlook: outlook({ record, lane, queuedBehind, waitReason: courier.waitReason(record.laneId) }),
  };
}

function appliedRecord(applied: Applied, refusal: string): DeliveryRecord {
  if (applied.outcome === "applied") return applied.record;
  const { record, reason } = applied;
  throw new AppError({
    code: "not_possible",
    message: `The delivery cannot ${refusal} (${record?.status ?? reason}).`,
    hint: record ? `\`waybill why ${record.messageId}\` shows what happens next.` : "Check it again.",
  });
}

/** The message was read long ago. */
function prunedDelivery(messageId: string): AppError {
  return new AppError({
    code: "message_conflict",
    message: `Message "${messageId}" was answered long ago, and its delivery is no longer kept.`,
    hint: "Send it with a new message id.",
  });
}

function messageUnknown(messageId: string): AppError {
  return new AppError({
    code: "message_unknown",
    message: `There is no delivery of message "${messageId}".`,
    hint: "`waybill messages` lists all messages.",
  });
}

function ambiguousMessage(messageId: string): AppError {
  return new AppError({
    code: "message_ambiguous",
    message: `Several lanes have a message "${messageId}".`,
    hint: "Also name the lane.",
  });
}
