/**
 * What a change writes to the store. A plan decides it from loaded facts; an adapter loads the facts, and writes the
 * rows, in one transaction. Nothing is decided while writing: what follows from a row stands here, too.
 */

import type { DeliveryChange, Effect } from "../delivery/delivery-event.ts";
import type { Alert, DeliveryRecord } from "../delivery/record.ts";
import type { HandOver, InboxPlace } from "../inbox/hand-over.ts";
import type { Lane, LaneSession, UsageEntry } from "../lane/lane.ts";
import type { LogItem, NewEvent } from "../log/log-item.ts";
import type { Address, Message } from "../message/message.ts";
import type { DayStats } from "../stats/day-stats.ts";
import type { Exchange, ExchangePair } from "../team/exchange.ts";
import type { Member, Team } from "../team/team.ts";

/** A message that its recipient does not have yet. `inbox`: where it is also written, as a row of an inbox file. */
export type NewMail = { message: Message; payloadHash: string; inbox: InboxPlace | null };

type WithoutCursor<Item> = Item extends unknown ? Omit<Item, "cursor"> : never;

/** Entries of the log, in their order; each is written after the rows that it is about. */
export type LogWrite =
  | { type: "message"; message: Message }
  /** One entry for each of its events, up to the record's version. */
  | { type: "delivery"; change: DeliveryChange }
  | { type: "event"; event: NewEvent }
  | OtherLogWrite;

export type OtherLogWrite = WithoutCursor<Extract<LogItem, { type: "lane" | "team" | "inbox" | "alert" }>>;

/** Removes the oldest events of a lane, down to the newest `keep`, if there are more than `allowed`. */
export type EventTrim = { lane: string; last: number; allowed: number; keep: number };

export type DayAmount = Omit<UsageEntry, "messageId">;

export type Writes = {
  /** New states of lanes, new ones included. */
  lanes?: readonly Lane[];
  /** Its row stays, because its deliveries refer to it and its generations continue. Its exchanges end. */
  removedLane?: { id: string; at: number };
  session?: LaneSession & { laneId: string };
  /** New states, with all of their members. */
  teams?: readonly Team[];
  removedTeam?: string;
  /** A team whose open hand-overs end, because its files are no longer written. */
  closedInboxes?: string;
  /** A team that gets files: what its members have not read yet is to be written there. */
  openedInboxes?: { team: string; at: number };
  messages?: readonly NewMail[];
  /** New deliveries. Each one's message is among `messages`, or is already stored. */
  deliveries?: readonly DeliveryRecord[];
  /** A changed delivery. Saved only if the stored one still has the version of `before`. */
  change?: { before: DeliveryRecord; record: DeliveryRecord };
  /** When the message of the changed delivery was read. */
  readAt?: number;
  handOver?: { recipient: Address; handOver: HandOver };
  /** The days' new statistics, except for what was used. */
  dayStats?: readonly DayStats[];
  /** Usage by a lane's agent, and by how much its days increase. */
  usage?: { laneId: string; entries: readonly UsageEntry[]; increases: readonly DayAmount[] };
  /** The updated exchange of a pair of agents. */
  exchange?: Exchange;
  /** A lane in which something else happened, which ends its exchanges, except for held ones. */
  exchangesEnded?: string;
  removedExchange?: ExchangePair;
  alert?: Alert;
  trims?: readonly EventTrim[];
  log?: readonly LogWrite[];
};

/** Why nothing was changed, with what a person needs to know about it. */
export type Refusal =
  | { refused: "lane_unknown"; lane: string }
  | { refused: "lane_exists"; lane: string }
  | { refused: "lane_taken"; lane: string; by: Pick<Member, "team" | "name"> }
  | { refused: "session_in_use"; sessionId: string; owner: string }
  | { refused: "directory_taken"; directory: string; by: string }
  | { refused: "team_unknown"; team: string }
  | { refused: "member_unknown"; team: Team; member: string }
  | { refused: "events_out_of_order"; lane: string; seq: number; last: number };

/** A plan that writes nothing has only a result. */
export type Plan<Result> = { result: Result; writes?: Writes };

export type Applied =
  | { outcome: "applied"; record: DeliveryRecord; effects: readonly Effect[] }
  /** The events do not fit the record's current state, or another delivery holds the lane. */
  | { outcome: "refused"; reason: string; record: DeliveryRecord | null };
