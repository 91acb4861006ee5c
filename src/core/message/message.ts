/**
 * What a sender wants an agent to do or answer. Its id never changes, and its payload hash covers the logical
 * message only: not the retry text, not transport settings, nothing that may differ between two tries.
 */
import { createHash } from "node:crypto";
import type { Address } from "./address.ts";
import { addressKey, laneAddress, personAddress } from "./address.ts";

export const actionModes = ["do", "ask", "delegate", "notify"] as const;
export type ActionMode = (typeof actionModes)[number];

export const sources = ["watcher", "ui", "cli", "telegram", "mcp", "manual", "watchdog"] as const;
export type Source = (typeof sources)[number];

/** What an agent says that its reply is. `progress` closes nothing: more is to come. */
export const replyOutcomes = ["answer", "done", "question", "blocked", "progress"] as const;
export type ReplyOutcome = (typeof replyOutcomes)[number];

/** What a message is to whoever reads it: what its agent said, or what Waybill took it for. */
export const messageOutcomes = [...replyOutcomes, "acknowledgement", "provider_error"] as const;
export type MessageOutcome = (typeof messageOutcomes)[number];

/** Of a text; what is longer is better sent as a file. */
export const maxCharacters = 256 * 1024;

/** Of `system`. Together with the configured text it has to fit into one argument of a program, which holds 128 KiB. */
export const maxSystemBytes = 60 * 1024;

/** Of a message. */
export const maxAttachments = 20;

/** Of one file, unless the configuration says otherwise. */
export const defaultMaxAttachmentBytes = 20_000_000;

/** What a message may be called. */
export const messageIdPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

export type TaskRef = { id: string; team?: string | undefined; title?: string | undefined };

/** What is known of a file that goes with a message. `id` is the SHA-256 of its bytes, except in rows of inbox files. */
export type Attachment = { id: string; name: string; mimeType: string; size: number };

export type Message = {
  id: string;
  recipient: Address;
  from: string;
  /** The lane of the agent that wrote it, by its connection and not by its word; null for everybody else. */
  fromLane: string | null;
  /** The member of a team that wrote it and that somebody else runs, by its connection as well. */
  fromMember?: Extract<Address, { kind: "member" }> | null;
  /** The lane in whose conversation it stands: the one that it is for, or the one that it comes from. */
  laneId: string | null;
  text: string;
  /** For the agent's instructions while it works on this message. */
  system?: string;
  summary: string | null;
  actionMode: ActionMode | null;
  taskRefs: readonly TaskRef[];
  /** The message that this one replies to. */
  relayOfMessageId: string | null;
  /** Missing where nobody said it, and in messages of before. */
  outcome?: MessageOutcome | null;
  attachments: readonly Attachment[];
  /** The name of whoever gets the answer. */
  replyRecipient: string;
  /** Their address; missing where it is the person of that name, and in messages of before. */
  replyTo?: Address | null;
  conversation: string | null;
  source: Source;
  /** The inbox file that it was found in, and where its row is flagged as read once it is answered. */
  inboxFile?: InboxOrigin | null;
  expiresAt: number | null;
  createdAt: number;
};

/** `rowHash` covers what the row said when the message was admitted. */
export type InboxOrigin = { team: string; member: string; rowHash: string };

/** A message as it stands in a mailbox. */
export type Mail = Message & { readAt: number | null };

/** The agent that wrote it, by its connection; null for people and for Waybill itself. */
export function senderOf({ fromLane, fromMember }: Pick<Message, "fromLane" | "fromMember">): Address | null {
  return fromLane === null ? (fromMember ?? null) : laneAddress(fromLane);
}

/** Where an answer goes. */
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
    // Left out where there is none, so that the hashes of before stay.
    ...(message.replyTo ? { replyTo: addressKey(message.replyTo) } : {}),
    ...(message.outcome ? { outcome: message.outcome } : {}),
    ...(message.system === undefined ? {} : { system: message.system }),
  };
  return createHash("sha256").update(JSON.stringify(logical)).digest("hex");
}
