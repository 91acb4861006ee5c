/**
 * What is written into the inbox file of somebody whom Waybill does not run: a message to a native member, and a copy of what
 * an agent says to the person. A row that stands in the file is handed over; that it was taken is no answer. Pure.
 */
import { attachmentsNotSupported } from "../delivery/reasons.ts";
import type { Lane } from "../lane/lane.ts";
import { laneName } from "../lane/lane.ts";
import type { Message } from "../message/message.ts";
import { canonicalName } from "../team/team.ts";

/**
 * `waiting`: its row is still to be written. `handed_over`: the row was found in the file after it was written. `taken`: it is
 * flagged as read, or removed by a program that removes what it takes. `gone`: it is not there any more, taken or lost.
 */
export const handOverStates = ["waiting", "handed_over", "taken", "gone"] as const;
export type HandOverState = (typeof handOverStates)[number];

export type HandOver = {
  messageId: string;
  team: string;
  /** The member whose inbox it is, or `user`. */
  inbox: string;
  state: HandOverState;
  /** Why it waits, or what is known of the row that is gone; a stable code. */
  reason: string | null;
  /** The nearest row before it that was not written by Waybill, by which an older file is recognised. */
  behind: string | null;
  /** How often its row was written. */
  writes: number;
  changedAt: number;
};

/** Of the row of a lead whom no lane serves: it stands in the file, and no program reads it. */
export const leadNotServed = "lead_not_served";

/** Whether its row was written, and was there when it was last looked for. */
export function isInFile({ state, reason, writes }: Pick<HandOver, "state" | "reason" | "writes">): boolean {
  return state === "handed_over" || (state === "waiting" && reason === leadNotServed && writes > 0);
}

export type HandOverChange = Pick<HandOver, "state" | "reason"> & Partial<Pick<HandOver, "behind" | "writes">>;

/** Why a row waits, for whoever sent it. */
export function whyWaiting({ inbox, reason }: Pick<HandOver, "inbox" | "reason">): string {
  switch (reason) {
    case leadNotServed:
      return `no lane serves the lead ${inbox}, which reads no file by itself (${reason})`;
    case "team_paused":
    case "team_stopped":
    case "member_terminated":
      return `${inbox} is paused (${reason})`;
    case "directory_missing":
      return `the directory of its team is not there (${reason})`;
    case "session_ended":
      return `the session of its team has ended (${reason})`;
    case "not_in_team":
      return `the session has no teammate ${inbox} at present (${reason})`;
    case attachmentsNotSupported:
      return `it has attachments, which a row in the inbox file of ${inbox} cannot carry (${reason})`;
    case "just_joined":
      return `${inbox} was made a moment ago, and its inbox is about to be emptied (${reason})`;
    default:
      return `its row is not in the inbox file of ${inbox} yet (${reason ?? "about to be written"})`;
  }
}

export type InboxPlace = Pick<HandOver, "team" | "inbox">;

/** The inbox of the person whose daemon this is. */
export const personInbox = "user";

/** Where a message is to stand in addition to the store, or null. `lane` is the one in whose conversation it stands. */
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

/** What is not at its end yet. A copy for the person is done once it was written. */
export function isOpen({ state, inbox }: Pick<HandOver, "state" | "inbox">): boolean {
  return state === "waiting" || (state === "handed_over" && inbox !== personInbox);
}
