/**
 * The door. A message is checked, made canonical and stored together with its delivery in one transaction; the same
 * message again changes nothing, and the same id with another body is a conflict. What its sender chooses for the lane
 * is stored in that transaction, too, or not at all.
 */
import { z } from "zod";
import { AppError } from "../app-error.ts";
import type { Clock } from "../clock.ts";
import type { Policy } from "../core/delivery/policy.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { newDelivery } from "../core/delivery/record.ts";
import type { Lane, LaneChange } from "../core/lane/lane.ts";
import type { Message, Recipient } from "../core/message/message.ts";
import { actionModes, maxCharacters, payloadHash, sources } from "../core/message/message.ts";
import type { Ledger } from "../store/ledger.ts";
import type { Admission, Applied, LaneChoice, Store } from "../store/port.ts";

const name = z.string().trim().min(1).max(128);
const messageId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/, "must be 1 to 128 of A-Z a-z 0-9 . _ : -");
const taskRef = z.strictObject({ id: name, team: name.optional(), title: z.string().max(500).optional() });
const attachment = z.strictObject({
  id: name,
  name: z.string().min(1).max(255),
  mimeType: z.string().min(1).max(255),
  size: z.number().int().nonnegative(),
});

const newMessageSchema = z.strictObject({
  id: messageId,
  to: z.union([z.strictObject({ lane: name }), z.strictObject({ person: name })]),
  from: name,
  text: z
    .string()
    .max(maxCharacters, `must not be longer than ${maxCharacters} characters`)
    .refine((text) => text.trim() !== "", "must not be empty"),
  summary: z.string().max(1000).nullish(),
  actionMode: z.enum(actionModes).nullish(),
  taskRefs: z.array(taskRef).max(100).optional(),
  relayOfMessageId: messageId.nullish(),
  attachments: z.array(attachment).max(20).optional(),
  replyTo: name.nullish(),
  conversation: name.nullish(),
  source: z.enum(sources).optional(),
  expiresAt: z.number().int().positive().nullish(),
});
export type NewMessage = z.input<typeof newMessageSchema>;

export type Admitted = { message: Message; delivery: DeliveryRecord | null; known: boolean };

export type AdmissionDeps = { store: Store; ledger: Ledger; policy: Policy; clock: Clock };

/**
 * What the sender of a new message wants to be changed about its lane, as the lane is; throws when it cannot be. It may
 * be asked again, as the lane has become meanwhile. `isUsed` when something was ever sent in the lane.
 */
export type Choose = (lane: Lane, isUsed: boolean) => LaneChange;

/** `fromLane` is the lane of the agent that sends, as its connection tells. */
export type Sender = { fromLane?: string | undefined; choose?: Choose | undefined };

export async function admitMessage(input: NewMessage, deps: AdmissionDeps, sender: Sender = {}): Promise<Admitted> {
  const at = deps.clock.now();
  const message = canonical(parse(input), sender.fromLane ?? null, at);
  const hash = payloadHash(message);
  let admission: Admission;
  do {
    const lane = await recipientLane(message.recipient, deps.store);
    const choice = lane && sender.choose ? await chosen(message, lane, sender.choose, deps) : null;
    const delivery = lane ? newDelivery(message, hash, { ...lane, ...choice?.change }, deps.policy, at) : null;
    admission = await commitAdmission({ message, hash, delivery, choice }, deps);
  } while (admission.outcome === "lane_changed");
  if (admission.outcome === "conflict") {
    throw new AppError({
      code: "message_conflict",
      message: `Message "${message.id}" was admitted before with another body.`,
      hint: "Send the changed text under a new message id.",
    });
  }
  return { message: admission.message, delivery: admission.delivery, known: admission.outcome === "known" };
}

/** Whoever sends a message again chooses nothing anew. */
async function chosen(
  message: Message,
  seen: Lane,
  choose: Choose,
  { store }: AdmissionDeps,
): Promise<LaneChoice | null> {
  // After the lane was read: one that is admitted meanwhile has changed what was seen, or is found here.
  if (await store.message(message.recipient, message.id)) return null;
  const wasUsed = (await store.deliveries({ laneId: seen.id, limit: 1 })).items.length > 0;
  return { seen, wasUsed, change: choose(seen, wasUsed || seen.sessionId !== null) };
}

type ToAdmit = { message: Message; hash: string; delivery: DeliveryRecord | null; choice: LaneChoice | null };

/** An admitted message begins a record, so it passes the ledger's fail points and listeners like any other change. */
async function commitAdmission(
  { message, hash, delivery, choice }: ToAdmit,
  { store, ledger }: AdmissionDeps,
): Promise<Admission> {
  if (!delivery) return store.admit(message, hash, null);
  let admission: Admission | undefined;
  await ledger.around([{ type: "admitted", at: delivery.createdAt, record: delivery }], async (): Promise<Applied> => {
    admission = await store.admit(message, hash, delivery, choice);
    if (admission.outcome !== "admitted") return { outcome: "refused", reason: admission.outcome, record: null };
    return { outcome: "applied", record: delivery, effects: [] };
  });
  return admission ?? { outcome: "conflict" };
}

function parse(input: NewMessage): z.output<typeof newMessageSchema> {
  const parsed = newMessageSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".") || "message";
  throw new AppError({
    code: "message_invalid",
    message: `The message was not taken: ${where}: ${issue?.message ?? "not valid"}.`,
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
    // A reply needs no reply, unless its sender says so: otherwise two agents thank each other for ever.
    actionMode: input.actionMode ?? (relayOfMessageId === null ? null : "notify"),
    taskRefs: input.taskRefs ?? [],
    relayOfMessageId,
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
  const lane = await store.lane(recipient.lane);
  if (lane) return lane;
  const known = (await store.lanes()).map((one) => one.id).join(", ");
  throw new AppError({
    code: "lane_unknown",
    message: `There is no lane "${recipient.lane}".`,
    hint: known === "" ? "No lane has been set up yet." : `Known lanes: ${known}.`,
  });
}
