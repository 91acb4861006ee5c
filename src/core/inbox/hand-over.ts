/**
 * Rows that Waybill writes into inbox files of members it does not run: messages to a native member, and copies of
 * what an agent says to the person. A row found in the file is handed over; that it was taken does not count as an
 * answer. Pure.
 */
import { attachmentsNotSupported } from "../delivery/reasons.ts";
import type { Lane } from "../lane/lane.ts";
import { laneName } from "../lane/lane.ts";
import type { Message } from "../message/message.ts";
import { canonicalName } from "../team/team.ts";

/**
 * `waiting`: the row is still to be written. `handed_over`: the row was found in the file after it was written.
 * `taken`: it is marked as read, or was removed by a program that removes rows it takes. `gone`: it is no longer in
 * the file, taken or lost.
 */
export const handOverStates = ["waiting", "handed_over", "taken", "gone"] as const;
export type HandOverState = (typeof handOverStates)[number];

export type HandOver = {
  messageId: string;
  team: string;
  /** The member who owns the inbox, or `user`. */
  inbox: string;
  state: HandOverState;
  /** Why it waits, or what is known about a row that is gone; a stable code. */
  reason: string | null;
  /** The nearest preceding row not written by Waybill. It identifies an older version of the file. */
  behind: string | null;
  /** How many times its row was written. */
  writes: number;
  changedAt: number;
};

/** For a row to a lead that no lane serves: the row is in the file, but no program reads it. */
export const leadNotServed = "lead_not_served";

/** Whether its row was written and was still in the file at the last check. */
export function isInFile({ state, reason, writes }: Pick<HandOver, "state" | "reason" | "writes">): boolean {
  return state === "handed_over" || (state === "waiting" && reason === leadNotServed && writes > 0);
}

export type HandOverChange = Pick<HandOver, "state" | "reason"> & Partial<Pick<HandOver, "behind" | "writes">>;

/** Why a row waits, for its sender. */
export function whyWaiting({ inbox, reason }: Pick<HandOver, "inbox" | "reason">): string {
  switch (reason) {
    case leadNotServed:
      return `no lane serves the lead ${inbox}, and the lead reads no inbox file on its own (${reason})`;
    case "team_paused":
    case "team_stopped":
    case "member_terminated":
      return `${inbox} is paused (${reason})`;
    case "directory_missing":
      return `its team's directory is missing (${reason})`;
    case "session_ended":
      return `its team's session has ended (${reason})`;
    case "not_in_team":
      return `the session currently has no teammate ${inbox} (${reason})`;
    case attachmentsNotSupported:
      return `it has attachments, which a row in the inbox file of ${inbox} cannot carry (${reason})`;
    case "just_joined":
      return `${inbox} was created a moment ago, and its inbox is about to be emptied (${reason})`;
    default:
      return `its row is not in the inbox file of ${inbox} yet (${reason ?? "about to be written"})`;
  }
}

export type InboxPlace = Pick<HandOver, "team" | "inbox">;

/** The inbox of the person who runs this daemon. */
export const personInbox = "user";

/** Where a message goes in addition to the store, or null. `lane` is the lane whose conversation contains it. */
export function inboxFor(
  { recipient, from }: Pick<Message, "recipient" | "from">,
  lane: Lane | null,
  hasFiles: (team: string) => boolean,
): InboxPlace | null {
  if (recipient.kind === "member") {
    return hasFiles(recipient.team) ? { team: recipient.team, inbox: recipient.member } : null;
  }
  if (recipient.kind !== "person" || canonicalName(recipient.name) !== personInbox || !lane?.team) return null;
  const team = canonicalName(lane.team);
  return hasFiles(team) && from === laneName(lane) ? { team, inbox: personInbox } : null;
}

/** Whether it is still to be settled. A copy for the person is done once it is written. */
export function isOpen({ state, inbox }: Pick<HandOver, "state" | "inbox">): boolean {
  return state === "waiting" || (state === "handed_over" && inbox !== personInbox);
}

type WrittenRow = {
  key: string;
  /** Keys of the rows before it when it was last seen; at least the row it was written after. */
  before: readonly string[];
};

/** `older_array`: it has to be written again. `gone`: taken or lost; the two cannot be told apart. */
type WhyMissing = "older_array" | "gone";

/**
 * Why a written row is missing from its file. A reader that takes a row also takes all older ones. So if a row is
 * missing while an earlier one is still present, it was not taken: something wrote an older array back.
 */
export function whyMissing({ before }: WrittenRow, present: ReadonlySet<string>): WhyMissing {
  return before.some((key) => present.has(key)) ? "older_array" : "gone";
}

type MissingRows = { restore: readonly string[]; gone: readonly string[] };

/** Expects `written` in write order: a restored row counts as present for the rows after it. */
export function missingRows(present: Iterable<string>, written: readonly WrittenRow[]): MissingRows {
  const there = new Set(present);
  const restore: string[] = [];
  const gone: string[] = [];
  for (const row of written) {
    if (there.has(row.key)) continue;
    if (whyMissing(row, there) === "gone") {
      gone.push(row.key);
      continue;
    }
    restore.push(row.key);
    there.add(row.key);
  }
  return { restore, gone };
}
