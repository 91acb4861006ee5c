/**
 * Admits messages: each is checked, made canonical and stored with its delivery, and with what its sender changes about
 * the lane, in one transaction. The same message again changes nothing; the same id with another body is a conflict.
 */
import type { z } from "zod";
import { AppError } from "../app-error.ts";
import type { Clock } from "../clock.ts";
import type { Policy } from "../core/delivery/policy.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { newDelivery } from "../core/delivery/record.ts";
import type { Lane, LaneChange } from "../core/lane/lane.ts";
import { laneName } from "../core/lane/lane.ts";
import type { Message, Recipient, ReplyOutcome } from "../core/message/message.ts";
import { payloadHash } from "../core/message/message.ts";
import type { PostMessage } from "../runtimes/port.ts";
import { knownLane } from "../store/known-lane.ts";
import type { Ledger } from "../store/ledger.ts";
import type { Admission, LaneChoice, Store } from "../store/port.ts";
import type { NewMessage } from "./message-schema.ts";
import { newMessageSchema } from "./message-schema.ts";

export type Admitted = { message: Message; delivery: DeliveryRecord | null; known: boolean };

export type AdmissionDeps = {
  store: Store;
  ledger: Ledger;
  policy: Policy;
  clock: Clock;
  /** An agent has written a message that names another one as what it replies to. */
  onReply: (fromLane: string, messageId: string) => Promise<void>;
};

/**
 * What the sender of a new message changes about its lane; throws when it may not. Called again when the lane has changed
 * meanwhile. `isUsed` when something was ever sent in the lane.
 */
export type ChooseLaneChange = (lane: Lane, isUsed: boolean) => LaneChange;

/** `fromLane` is the lane of the agent that sends, by its connection. */
export type MessageSender = { fromLane?: string | undefined; choose?: ChooseLaneChange | undefined };

export class MessageAdmission {
  readonly #deps: AdmissionDeps;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  async admit(input: NewMessage, sender: MessageSender = {}): Promise<Admitted> {
    const { store, ledger, policy, clock, onReply } = this.#deps;
    const at = clock.now();
    const message = canonical(parse(input), sender.fromLane ?? null, at);
    const hash = payloadHash(message);
    let admission: Admission;
    do {
      const lane = await recipientLane(message.recipient, store);
      const choice = lane && sender.choose ? await laneChoice(message, lane, sender.choose, store) : null;
      const delivery = lane ? newDelivery(message, hash, { ...lane, ...choice?.change }, policy, at) : null;
      admission = await ledger.admit({ message, payloadHash: hash, delivery, choice });
    } while (admission.outcome === "lane_changed");
    if (admission.outcome === "conflict") throw conflict(message.id);
    const { fromLane, relayOfMessageId } = admission.message;
    if (fromLane !== null && relayOfMessageId !== null) await onReply(fromLane, relayOfMessageId);
    return { message: admission.message, delivery: admission.delivery, known: admission.outcome === "known" };
  }

  /** For agents: in the name of the lane that their call came from. */
  readonly postMessage: PostMessage = async ({ id, lane: laneId, to, text, ...message }) => {
    const lane = await this.#deps.store.lane(laneId);
    const from = lane ? laneName(lane) : laneId;
    const { summary, relayOfMessageId, outcome } = message;
    const optional = {
      summary: summary ?? undefined,
      relayOfMessageId: relayOfMessageId ?? undefined,
      // A word that is none of them is refused with the list.
      outcome: (outcome ?? undefined) as ReplyOutcome | undefined,
    };
    await this.admit({ id, to: { person: to }, from, text, ...optional, source: "mcp" }, { fromLane: laneId });
  };
}

/** Null for a message that was admitted before: sending it again changes nothing about the lane. */
async function laneChoice(
  message: Message,
  seen: Lane,
  choose: ChooseLaneChange,
  store: Store,
): Promise<LaneChoice | null> {
  // After the lane was read: a message that is admitted meanwhile is found here, or has changed the lane.
  if (await store.message(message.recipient, message.id)) return null;
  const wasUsed = (await store.deliveries({ laneId: seen.id, limit: 1 })).items.length > 0;
  return { laneVersion: seen.version, wasUsed, change: choose(seen, wasUsed || seen.sessionId !== null) };
}

function parse(input: NewMessage): z.output<typeof newMessageSchema> {
  const parsed = newMessageSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") || "message";
  throw new AppError({
    code: "message_invalid",
    message: `The message was not taken: ${field}: ${issue?.message ?? "not valid"}.`,
    cause: parsed.error,
  });
}

function canonical(input: z.output<typeof newMessageSchema>, fromLane: string | null, at: number): Message {
  const relayOfMessageId = input.relayOfMessageId ?? null;
  return {
    id: input.id,
    recipient: "lane" in input.to ? { kind: "lane", lane: input.to.lane } : { kind: "person", name: input.to.person },
    from: input.from,
    fromLane,
    laneId: "lane" in input.to ? input.to.lane : fromLane,
    text: input.text,
    summary: input.summary ?? null,
    // A reply needs no reply unless its sender asks for one: otherwise two agents thank each other forever.
    actionMode: input.actionMode ?? (relayOfMessageId === null ? null : "notify"),
    taskRefs: input.taskRefs ?? [],
    relayOfMessageId,
    ...(input.outcome === undefined ? {} : { outcome: input.outcome }),
    attachments: input.attachments ?? [],
    replyRecipient: input.replyTo ?? input.from,
    conversation: input.conversation ?? null,
    source: input.source ?? "manual",
    expiresAt: input.expiresAt ?? null,
    createdAt: at,
  };
}

async function recipientLane(recipient: Recipient, store: Store): Promise<Lane | null> {
  if (recipient.kind === "person") return null;
  return knownLane(store, recipient.lane);
}

function conflict(messageId: string): AppError {
  return new AppError({
    code: "message_conflict",
    message: `Message "${messageId}" was admitted before with another body.`,
    hint: "Send the changed text under a new message id.",
  });
}
