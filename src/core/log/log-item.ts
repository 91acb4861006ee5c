/** The log: everything that happened, in one order, with one kind of cursor. */

import type { DeliveryChange, DeliveryEvent } from "../delivery/delivery-event.ts";
import type { Alert, DeliveryRecord } from "../delivery/record.ts";
import type { InboxNote } from "../inbox/inbox-note.ts";
import type { Lane } from "../lane/lane.ts";
import type { Address, Mail } from "../message/message.ts";
import type { MemberState, Team } from "../team/team.ts";
import type { UniversalEvent } from "../turn/universal-event.ts";
import { universalEventTypes } from "../turn/universal-event.ts";

export const ledgerTypes = ["message", "delivery", "lane", "alert", "team", "member", "inbox", "ask", "read"] as const;
export const logTypes = [...ledgerTypes, ...universalEventTypes] as const;
export type LogType = (typeof logTypes)[number];

/** An agent's event, with its serialised text as used in the store and in every stream. */
export type LoggedEvent = { event: UniversalEvent; text: string };

/** An event that is not kept (a delta) is still published in order with the others. */
export type NewEvent = LoggedEvent & { kept: boolean };

/** A record, lane or message is shown in its state at read time, which may be later than the event. */
export type LogEntry =
  | { type: "message"; message: Mail }
  /** `change` is only in a live item: the last one of what this process has committed together. */
  | { type: "delivery"; event: DeliveryEvent; record: DeliveryRecord; change?: DeliveryChange }
  /** Null once it has been removed. */
  | { type: "lane"; lane: Lane | null }
  | { type: "alert"; alert: Alert }
  /** Null once it has been removed. */
  | { type: "team"; name: string; team: Team | null }
  /** Not kept: a member's current state can be queried at any time. */
  | { type: "member"; team: string; member: string; state: MemberState }
  /** Not kept: something that a person has to decide was asked, updated or closed. All open asks can be listed. */
  | { type: "ask"; ask: string; open: boolean }
  /** Not kept: messages in this mailbox were marked as read. */
  | { type: "read"; reader: Address }
  /** Something that happened in a team's inbox files. */
  | ({ type: "inbox" } & InboxNote)
  | ({ type: "event" } & LoggedEvent);

/** `cursor` is null for items that are not kept: a reader cannot resume after them. */
export type LogItem = { cursor: string | null; at: number; laneId: string | null } & LogEntry;

/** Some items after the cursor are no longer kept: the reader has to reload everything. */
export type LogReset = { type: "reset"; cursor: string; at: number };

export type LogFilter = { lane?: string | undefined; types?: readonly LogType[] | undefined };

/** Without `after`, starts at the oldest kept item. */
export type LogQuery = LogFilter & { after?: string | undefined; limit: number };

/** Oldest first. `cursor` is where to continue; a page without items is the end for now. */
export type LogPage = { reset: LogReset | null; items: readonly LogItem[]; cursor: string };

export function typeOf(item: LogItem): LogType {
  return item.type === "event" ? item.event.type : item.type;
}

/** The changes of deliveries among live items, for listeners that compare a record with the one before. */
export function changesIn(items: readonly LogItem[]): DeliveryChange[] {
  return items.flatMap((item) => (item.type === "delivery" && item.change ? [item.change] : []));
}

export function isWanted(item: LogItem, { lane, types }: LogFilter): boolean {
  return (lane === undefined || item.laneId === lane) && (types === undefined || types.includes(typeOf(item)));
}

export type Paging = { limit: number; cursor?: string | undefined };

/** `next` is the cursor of the next page, or null on the last one. Cursors are opaque to clients. */
export type Page<T> = { items: readonly T[]; next: string | null };
