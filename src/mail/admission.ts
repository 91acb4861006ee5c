/**
 * Admits messages: checks each one, makes it canonical, and stores it with its delivery and the sender's changes to the
 * lane in one transaction. Sending the same message again changes nothing; the same id with another body is a conflict.
 */
import type { z } from "zod";
import type { Policy } from "../core/delivery/policy.ts";
import { attachmentsNotSupported } from "../core/delivery/reasons.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { newDelivery } from "../core/delivery/record.ts";
import type { Lane, LaneChange } from "../core/lane/lane.ts";
import { laneName } from "../core/lane/lane.ts";
import type { AcceptedFiles } from "../core/message/file-type.ts";
import type { Address, InboxOrigin, MemberAddress, Message, WrittenAddress } from "../core/message/message.ts";
import { laneAddress, nameIn, payloadHash, personAddress } from "../core/message/message.ts";
import type { ExchangeLimits } from "../core/team/exchange.ts";
import { pairOf } from "../core/team/exchange.ts";
import type { Member, Team } from "../core/team/team.ts";
import { canonicalName, memberCalled } from "../core/team/team.ts";
import { AppError } from "../platform/app-error.ts";
import type { Clock } from "../platform/clock.ts";
import { knownLane, knownMember, suggestion } from "../store/known.ts";
import type { Ledger } from "../store/ledger.ts";
import type { Admission, LaneChoice, LaneStore, LedgerStore, MailStore, TeamStore } from "../store/port.ts";
import type { AttachmentFiles } from "./attachments/attachment-files.ts";
import { checkAccepted, checkStored } from "./attachments/check-attachments.ts";
import type { NewMessage } from "./message-schema.ts";
import { newMessageSchema } from "./message-schema.ts";

export type Admitted = { message: Message; delivery: DeliveryRecord | null; known: boolean };

type AdmissionStore = Directory & Pick<MailStore, "message"> & Pick<LedgerStore, "deliveries">;

export type AdmissionDeps = {
  store: AdmissionStore;
  ledger: Ledger;
  policy: Policy;
  clock: Clock;
  attachments: AttachmentFiles;
  /** The files that a runtime accepts; null while that is unknown. */
  acceptedFiles: (runtime: string) => readonly AcceptedFiles[] | null;
};

/**
 * The sender's changes to the lane of a new message; throws if they are not allowed. Called again if the lane changes
 * before the message is stored. `isUsed` is true if anything was ever sent in the lane.
 */
export type ChooseLaneChange = (lane: Lane, isUsed: boolean) => LaneChange;

/**
 * `agent` is the address of the sending agent, known from its connection; people and programs have none. `row` is set
 * for a message found in an inbox file, and says whether it may have been sent before. `claimedMember` is the sender
 * that the row names.
 */
export type MessageSender = {
  agent?: AgentAddress | undefined;
  claimedMember?: MemberAddress | null | undefined;
  choose?: ChooseLaneChange | undefined;
  row?: { inboxFile: InboxOrigin; sentAt: number; mayHaveBeenSent: boolean } | undefined;
};

export type AgentAddress = Exclude<Address, { kind: "person" }>;

export class MessageAdmission {
  readonly #deps: AdmissionDeps;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  async admit(input: NewMessage, sender: MessageSender = {}): Promise<Admitted> {
    const { store, ledger, policy, clock } = this.#deps;
    const at = clock.now();
    const parsed = parse(input);
    let to = await resolveAddress(parsed.to, store);
    await refuseAttachments(parsed, to, store);
    const replyTo = await replyAddressOf(parsed, sender.agent, store);
    const message = canonical(parsed, {
      to,
      replyTo,
      agent: sender.agent ?? null,
      row: sender.row,
      claimedMember: sender.claimedMember,
      at,
    });
    const hash = payloadHash(message);
    const exchange = exchangeOf(message, policy);
    let admission: Admission;
    do {
      // The lane may have changed since.
      if (to.lane) to = await resolveAddress({ lane: to.lane.id }, store);
      const { lane } = to;
      const choice = lane && sender.choose ? await laneChoice(message, lane, sender.choose, store) : null;
      await this.#checkAttachments(message, lane && { ...lane, ...choice?.change });
      const fresh = lane ? newDelivery(message, hash, { ...lane, ...choice?.change }, policy, at) : null;
      const delivery = fresh && sender.row ? { ...fresh, ...rowFields(sender.row, at) } : fresh;
      admission = await ledger.admit({ message, payloadHash: hash, delivery, choice, exchange });
    } while (admission.outcome === "lane_changed");
    if (admission.outcome === "conflict") throw conflict(message.id);
    return { message: admission.message, delivery: admission.delivery, known: admission.outcome === "known" };
  }

  /**
   * Skips messages that were admitted before, and rows: a row's files cannot be checked, so its delivery fails instead.
   */
  async #checkAttachments(message: Message, lane: Lane | null | undefined): Promise<void> {
    const { attachments, recipient, id, inboxFile } = message;
    if (attachments.length === 0 || inboxFile || (await this.#deps.store.message(recipient, id))) return;
    if (lane) checkAccepted(attachments, lane.runtime, this.#deps.acceptedFiles(lane.runtime));
    await checkStored(attachments, this.#deps.attachments);
  }
}

/** Null for a message that was admitted before: sending it again changes nothing about the lane. */
async function laneChoice(
  message: Message,
  seen: Lane,
  choose: ChooseLaneChange,
  store: Pick<AdmissionStore, "message" | "deliveries">,
): Promise<LaneChoice | null> {
  // Must come after the lane was read: a message admitted since then is found here, or has changed the lane.
  if (await store.message(message.recipient, message.id)) return null;
  const wasUsed = (await store.deliveries({ laneId: seen.id, limit: 1 })).items.length > 0;
  return { laneVersion: seen.version, wasUsed, change: choose(seen, wasUsed || seen.sessionId !== null) };
}

/** A row counts from the time it was written: its prompt cannot be older. */
function rowFields({ sentAt, mayHaveBeenSent }: NonNullable<MessageSender["row"]>, now: number) {
  return { messageTimestamp: Math.min(sentAt, now), acceptanceUnknown: mayHaveBeenSent };
}

function parse(input: NewMessage): z.output<typeof newMessageSchema> {
  const parsed = newMessageSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") || "message";
  throw new AppError({
    code: "message_invalid",
    message: `The message was refused: ${field}: ${issue?.message ?? "not valid"}.`,
    cause: parsed.error,
  });
}

type ParsedMessage = z.output<typeof newMessageSchema>;
type Parties = Pick<MessageSender, "row" | "claimedMember"> & {
  to: ResolvedAddress;
  replyTo: Address | null;
  agent: AgentAddress | null;
  at: number;
};

/** Null for the person who sent the message. */
async function replyAddressOf(
  { replyTo }: ParsedMessage,
  agent: AgentAddress | undefined,
  store: Directory,
): Promise<Address | null> {
  if (replyTo === undefined) return agent ?? null;
  if (typeof replyTo === "string") return null;
  return (await resolveAddress(replyTo, store)).address;
}

/** The pair of agents that Waybill runs, whatever they are called. */
function exchangeOf({ fromLane, recipient }: Message, limits: ExchangeLimits) {
  if (fromLane === null || recipient.kind !== "lane" || recipient.lane === fromLane) return null;
  return { ...pairOf(fromLane, recipient.lane), limits };
}

function canonical(input: ParsedMessage, { to, replyTo, agent, row, claimedMember, at }: Parties): Message {
  const relayOfMessageId = input.relayOfMessageId ?? null;
  const fromLane = agent?.kind === "lane" ? agent.lane : null;
  return {
    id: input.id,
    recipient: to.address,
    from: input.from,
    fromLane,
    ...(agent?.kind === "member" ? { fromMember: agent } : {}),
    ...(claimedMember ? { claimedMember } : {}),
    laneId: to.lane?.id ?? fromLane,
    text: input.text,
    ...(input.system === undefined ? {} : { system: input.system }),
    summary: input.summary ?? null,
    // A reply needs no reply unless its sender asks for one. Otherwise two agents thank each other forever.
    actionMode: input.actionMode ?? (relayOfMessageId === null ? null : "notify"),
    taskRefs: input.taskRefs ?? [],
    relayOfMessageId,
    ...(input.outcome === undefined ? {} : { outcome: input.outcome }),
    attachments: input.attachments ?? [],
    replyRecipient: replyName(input, replyTo),
    ...(replyTo ? { replyTo } : {}),
    conversation: input.conversation ?? null,
    source: input.source ?? "manual",
    ...(row ? { inboxFile: row.inboxFile } : {}),
    expiresAt: input.expiresAt ?? null,
    createdAt: at,
  };
}

/** The name by which the recipient addresses its answer. */
function replyName({ replyTo, from }: ParsedMessage, address: Address | null): string {
  if (typeof replyTo === "string") return replyTo;
  return replyTo === undefined || address === null ? from : nameIn(address);
}

/** Rows in inbox files carry no attachments, and a message must not be sent without its own. */
async function refuseAttachments(
  { attachments = [] }: ParsedMessage,
  { address, name }: ResolvedAddress,
  store: Pick<Directory, "team">,
): Promise<void> {
  if (attachments.length === 0 || address.kind !== "member") return;
  const team = await store.team(address.team);
  if (!team || team.directory === null) return;
  throw new AppError({
    code: attachmentsNotSupported,
    message: `${name} gets its messages in an inbox file, which carries no attachments.`,
    hint: "Name the files in the text instead.",
  });
}

function conflict(messageId: string): AppError {
  return new AppError({
    code: "message_conflict",
    message: `Message "${messageId}" was already admitted with a different body.`,
    hint: "Send the changed text under a new message id.",
  });
}

/** Where recipients are looked up. */
export type Directory = Pick<LaneStore, "lane" | "lanes"> & Pick<TeamStore, "team" | "teams">;

/** `lane` is where messages to the address are delivered; without one, they wait in a mailbox. */
export type ResolvedAddress = { address: Address; name: string; lane: Lane | null };

async function resolveAddress(written: WrittenAddress, directory: Directory): Promise<ResolvedAddress> {
  if ("lane" in written) return ofLane(await knownLane(directory, written.lane));
  if ("person" in written) return ofPerson(written.person);
  return ofMember(await knownMember(directory, written), directory);
}

async function ofMember(member: Member, directory: Directory): Promise<ResolvedAddress> {
  const { team, name, kind, lane } = member;
  switch (kind) {
    case "lane":
      return ofLane(await knownLane(directory, lane ?? ""));
    case "native":
      return { address: { kind: "member", team, member: name }, name, lane: null };
    case "person":
      return ofPerson(name);
    default:
      return kind satisfies never;
  }
}

function ofLane(lane: Lane): ResolvedAddress {
  return { address: laneAddress(lane.id), name: laneName(lane), lane };
}

function ofPerson(name: string): ResolvedAddress {
  return { address: personAddress(name), name, lane: null };
}

/** The recipients an agent may know. */
type Acquaintance = {
  /** Its own team. */
  team: Team | null;
  /** People outside its team whom it can write to. */
  people: readonly string[];
};

/**
 * Resolves a name that an agent wrote: a member of its team first, then a person, then `team/member`, then a lane. An
 * unknown name is refused with the closest known one.
 */
export async function resolveName(
  written: string,
  { team, people }: Acquaintance,
  directory: Directory,
): Promise<ResolvedAddress> {
  const member = team && memberCalled(team, written);
  if (member) return ofMember(member, directory);
  const wanted = canonicalName(written);
  const person = people.find((one) => canonicalName(one) === wanted);
  if (person !== undefined) return ofPerson(person);
  const [, ofTeam, ofName] = /^([^/]+)\/([^/]+)$/.exec(wanted) ?? [];
  if (ofTeam !== undefined && ofName !== undefined) {
    return ofMember(await knownMember(directory, { team: ofTeam, member: ofName }), directory);
  }
  const lanes = await directory.lanes();
  const lane = lanes.find(({ id }) => id === wanted);
  if (lane) return ofLane(lane);
  throw recipientUnknown(written, [
    ...(team?.members.map(({ name }) => name) ?? []),
    ...people,
    ...(team ? [] : lanes.map(({ id }) => id)),
  ]);
}

function recipientUnknown(written: string, known: readonly string[]): AppError {
  return new AppError({
    code: "recipient_unknown",
    message: `Unknown recipient "${written.slice(0, 80)}".`,
    hint: suggestion(written, known, "Known", "team_list shows whom you can write to."),
  });
}
