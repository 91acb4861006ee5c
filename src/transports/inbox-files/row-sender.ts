/** The claimed sender of a row, and the message it answers. Neither claim is verified. */
import type { ParsedRow } from "../../core/inbox/row.ts";
import { namedAtBeginning } from "../../core/inbox/written-row.ts";
import type { Address, Mail, MemberAddress, WrittenAddress } from "../../core/message/message.ts";
import type { Member } from "../../core/team/team.ts";
import { memberCalled } from "../../core/team/team.ts";
import { owner } from "../../mail/agent-mail.ts";
import type { FolderContext } from "./folder-context.ts";

/** The member that a row names as its sender; null if the team has no such member. */
export function senderIn({ from }: ParsedRow, { team }: FolderContext): Member | null {
  return memberCalled(team, from);
}

/** The sender, if Waybill does not run it. */
export function nativeSender(row: ParsedRow, context: FolderContext): MemberAddress | null {
  const sender = senderIn(row, context);
  return sender?.kind === "native" ? { kind: "member", team: sender.team, member: sender.name } : null;
}

/** Where the answer to a row goes. An unknown sender reads nothing, so the owner gets it. */
export function replyTo(row: ParsedRow, recipient: string, context: FolderContext): string | WrittenAddress {
  const sender = senderIn(row, context);
  if (!sender || sender.name === recipient) return owner;
  return sender.kind === "person" ? sender.name : { team: sender.team, member: sender.name };
}

export type AnsweredMessage = {
  message: Mail;
  /** The text of the row, without the leading id. */
  text: string;
};

/**
 * The message that a row answers: one that its sender received, named in its own field or as the first word of the
 * text. Time and similar words prove nothing.
 */
export async function answeredMessage(row: ParsedRow, context: FolderContext): Promise<AnsweredMessage | null> {
  const sender = senderIn(row, context);
  const mailbox = sender && mailboxOf(sender);
  if (!mailbox) return null;
  const named = row.relayOfMessageId === null ? null : await context.store.message(mailbox, row.relayOfMessageId);
  if (named) return { message: named, text: row.text };
  for (const { messageId, rest } of namedAtBeginning(row.text)) {
    const message = await context.store.message(mailbox, messageId);
    if (message) return { message, text: rest.trim() === "" ? row.text : rest };
  }
  return null;
}

function mailboxOf({ kind, team, name, lane }: Member): Address | null {
  switch (kind) {
    case "native":
      return { kind: "member", team, member: name };
    case "lane":
      return lane === null ? null : { kind: "lane", lane };
    case "person":
      return { kind: "person", name };
    default:
      return kind satisfies never;
  }
}
