/**
 * A message says what a sender wants an agent to do or answer. Its id never changes. Its payload hash covers only the
 * logical message: not the retry text, not transport settings, nothing that may differ between two attempts.
 *
 * Senders and recipients are addresses: a lane, a person, or a team member that somebody else runs.
 */
import { createHash } from "node:crypto";

/**
 * Each address has its own mailbox. A member that Waybill runs is addressed by its lane, and a person by name, so
 * that no one has two mailboxes.
 */
export type Address =
  | { kind: "lane"; lane: string }
  | { kind: "member"; team: string; member: string }
  | { kind: "person"; name: string };

export type MemberAddress = Extract<Address, { kind: "member" }>;

export function personAddress(name: string): Address {
  return { kind: "person", name };
}

export function laneAddress(lane: string): Address {
  return { kind: "lane", lane };
}

/** The key of an address's mailbox. Admission is idempotent by this key and the message id. */
export function addressKey(address: Address): string {
  switch (address.kind) {
    case "lane":
      return `lane:${address.lane}`;
    case "member":
      return `member:${address.team}/${address.member}`;
    case "person":
      return `person:${address.name.toLowerCase()}`;
    default:
      return address satisfies never;
  }
}

export function isSameAddress(one: Address, other: Address): boolean {
  return addressKey(one) === addressKey(other);
}

/** For an address whose name is not known otherwise. */
export function nameIn(address: Address): string {
  switch (address.kind) {
    case "lane":
      return address.lane;
    case "member":
      return address.member;
    case "person":
      return address.name;
    default:
      return address satisfies never;
  }
}

/** The form that people and programs write. */
export type WrittenAddress = { lane: string } | { person: string } | { team: string; member: string };

export function writtenAddress(address: Address): WrittenAddress {
  switch (address.kind) {
    case "lane":
      return { lane: address.lane };
    case "member":
      return { team: address.team, member: address.member };
    case "person":
      return { person: address.name };
    default:
      return address satisfies never;
  }
}

export const actionModes = ["do", "ask", "delegate", "notify"] as const;
export type ActionMode = (typeof actionModes)[number];

export const sources = ["watcher", "ui", "cli", "telegram", "mcp", "manual", "watchdog"] as const;
export type Source = (typeof sources)[number];

/** What an agent declares its reply to be. `progress` closes nothing: more will follow. */
export const replyOutcomes = ["answer", "done", "question", "blocked", "progress"] as const;
export type ReplyOutcome = (typeof replyOutcomes)[number];

/** What a reader sees a message as: what its agent declared, or how Waybill classified it. */
export const messageOutcomes = [...replyOutcomes, "acknowledgement", "provider_error"] as const;
export type MessageOutcome = (typeof messageOutcomes)[number];

/** For a text; anything longer is better sent as a file. */
export const maxCharacters = 256 * 1024;

/** For `system`. With the configured text it has to fit into one program argument, which holds 128 KiB. */
export const maxSystemBytes = 60 * 1024;

/** Per message. */
export const maxAttachments = 20;

/** Per file, unless configured otherwise. */
export const defaultMaxAttachmentBytes = 20_000_000;

/** The form of a message id. */
export const messageIdPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

export type TaskRef = { id: string; team?: string | undefined; title?: string | undefined };

/** Metadata of a file sent with a message. `id` is the SHA-256 of its bytes, except in rows of inbox files. */
export type Attachment = { id: string; name: string; mimeType: string; size: number };

export type Message = {
  id: string;
  recipient: Address;
  from: string;
  /** The lane of the agent that wrote it, as its connection proves; null for all other senders. */
  fromLane: string | null;
  /** The team member that wrote it and that somebody else runs, also as its connection proves. */
  fromMember?: MemberAddress | null;
  /** The sender named by its row in an inbox file. Unverified. */
  claimedMember?: MemberAddress | null;
  /** The lane whose conversation it belongs to: its recipient's or its sender's. */
  laneId: string | null;
  text: string;
  /** Added to the agent's instructions while it works on this message. */
  system?: string;
  summary: string | null;
  actionMode: ActionMode | null;
  taskRefs: readonly TaskRef[];
  /** The message that this one replies to. */
  relayOfMessageId: string | null;
  /** Missing if it was not declared, and in older messages. */
  outcome?: MessageOutcome | null;
  attachments: readonly Attachment[];
  /** The name of the answer's recipient. */
  replyRecipient: string;
  /** The recipient's address; missing if it is the person of that name, and in older messages. */
  replyTo?: Address | null;
  conversation: string | null;
  source: Source;
  /** The inbox file it was found in, where its row is marked as read once it is answered. */
  inboxFile?: InboxOrigin | null;
  expiresAt: number | null;
  createdAt: number;
};

/** `rowHash` covers the row's contents at the time the message was admitted. */
export type InboxOrigin = { team: string; member: string; rowHash: string };

/** A message in a mailbox. */
export type Mail = Message & { readAt: number | null };

/** The agent that wrote it, as its connection proves; null for people and for Waybill itself. */
export function senderOf({ fromLane, fromMember }: Pick<Message, "fromLane" | "fromMember">): Address | null {
  return fromLane === null ? (fromMember ?? null) : laneAddress(fromLane);
}

/** The member, run by somebody else, whose conversation it belongs to: its recipient or its sender. */
export function memberOf(message: Pick<Message, "recipient" | "fromMember" | "claimedMember">): MemberAddress | null {
  if (message.recipient.kind === "member") return message.recipient;
  return message.fromMember ?? message.claimedMember ?? null;
}

/** The address an answer goes to. */
export function replyAddress({ replyTo, replyRecipient }: Pick<Message, "replyTo" | "replyRecipient">): Address {
  return replyTo ?? personAddress(replyRecipient);
}

export function payloadHash(message: Message): string {
  const logical = {
    from: message.from,
    to: addressKey(message.recipient),
    conversation: message.conversation,
    text: message.text,
    summary: message.summary,
    actionMode: message.actionMode,
    taskRefs: message.taskRefs.map((ref) => [ref.team ?? null, ref.id, ref.title ?? null]),
    replyRecipient: message.replyRecipient,
    attachments: message.attachments.map((file) => [file.id, file.name, file.mimeType, file.size]),
    // Left out when missing, so that older hashes stay valid.
    ...(message.replyTo ? { replyTo: addressKey(message.replyTo) } : {}),
    ...(message.outcome ? { outcome: message.outcome } : {}),
    ...(message.system === undefined ? {} : { system: message.system }),
  };
  return createHash("sha256").update(JSON.stringify(logical)).digest("hex");
}
