/** The log: everything that happened, in one order, with one kind of cursor. */
import type { Alert } from "../delivery/alert.ts";
import type { DeliveryEvent } from "../delivery/delivery-event.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import type { InboxNote } from "../inbox/inbox-note.ts";
import type { Lane } from "../lane/lane.ts";
import type { Mail } from "../message/message.ts";
import type { MemberState, Team } from "../team/team.ts";
import type { UniversalEvent } from "../turn/universal-event.ts";
import { universalEventTypes } from "../turn/universal-event.ts";

export const ledgerTypes = ["message", "delivery", "lane", "alert", "team", "member", "inbox"] as const;
export const logTypes = [...ledgerTypes, ...universalEventTypes] as const;
export type LogType = (typeof logTypes)[number];

/** An event of an agent, with the text that stands for it in the store and in every stream. */
export type LoggedEvent = { event: UniversalEvent; text: string };

/** One that is not kept passes by in its order among the others: a delta. */
export type NewEvent = LoggedEvent & { kept: boolean };

/** A record, a lane or a message is shown as it is when it is read, which may be later than what happened to it. */
export type LogEntry =
  | { type: "message"; message: Mail }
  | { type: "delivery"; event: DeliveryEvent; record: DeliveryRecord }
  /** Null once it was removed. */
  | { type: "lane"; lane: Lane | null }
  | { type: "alert"; alert: Alert }
  /** Null once it was removed. */
  | { type: "team"; name: string; team: Team | null }
  /** Passes by: what a member is doing now can be asked for at any time. */
  | { type: "member"; team: string; member: string; state: MemberState }
  /** What happened in a team's inbox files. */
  | ({ type: "inbox" } & InboxNote)
  | ({ type: "event" } & LoggedEvent);

/** `cursor` is null for what is not kept: nobody can resume after it. */
export type LogItem = { cursor: string | null; at: number; laneId: string | null } & LogEntry;

/** Something between the cursor and what follows is not kept any more: the reader has to look at everything again. */
export type LogReset = { type: "reset"; cursor: string; at: number };

export type LogFilter = { lane?: string | undefined; types?: readonly LogType[] | undefined };

/** Without `after`, from the oldest that is kept. */
export type LogQuery = LogFilter & { after?: string | undefined; limit: number };

/** Oldest first. `cursor` is where to continue; a page without items is the end for now. */
export type LogPage = { reset: LogReset | null; items: readonly LogItem[]; cursor: string };

export function typeOf(item: LogItem): LogType {
  return item.type === "event" ? item.event.type : item.type;
}

export function isWanted(item: LogItem, { lane, types }: LogFilter): boolean {
  return (lane === undefined || item.laneId === lane) && (types === undefined || types.includes(typeOf(item)));
}
