/**
 * The store in the verbs of the domain, by role. Nothing here depends on a database: an adapter may be embedded or
 * shared, and one conformance suite runs on all of them. Plans of the core decide what a change writes; execute-plans.ts
 * carries them out.
 *
 * A resolved promise means that the change is durable. Effects are carried out after that, never before.
 */

import type { DeliveryEvent, OutgoingMail } from "../core/delivery/delivery-event.ts";
import type { Alert, DeliveryRecord, Status } from "../core/delivery/record.ts";
import type { HandOver, HandOverChange } from "../core/inbox/hand-over.ts";
import type { InboxNote } from "../core/inbox/inbox-note.ts";
import type { DayUsage, Lane, LaneChange, LaneSession, NewLane, UsageEntry } from "../core/lane/lane.ts";
import type { LogItem, LogPage, LogQuery, NewEvent, Page, Paging } from "../core/log/log-item.ts";
import type { Address, Mail, MemberAddress } from "../core/message/message.ts";
import type { Admission, AdmissionRequest, LaneChoice } from "../core/plan/delivery-plans.ts";
import type { LaneFork } from "../core/plan/lane-plans.ts";
import type { Applied } from "../core/plan/writes.ts";
import type { DayStats } from "../core/stats/day-stats.ts";
import type { Exchange, ExchangePair } from "../core/team/exchange.ts";
import type { MemberState, NewMember, NewTeam, Team, TeamState } from "../core/team/team.ts";
import type { UniversalEvent } from "../core/turn/universal-event.ts";

export type { Admission, AdmissionRequest, Applied, LaneChoice, LaneFork, LaneSession, NewLane, UsageEntry };

/** `member`: a member that Waybill does not run; selects what it wrote and what was written to it. */
export type MailFilter = Paging & {
  lane?: string | undefined;
  member?: MemberAddress | undefined;
  /** Senders choose ids, so several recipients may have the same one. */
  messageId?: string | undefined;
  query?: string | undefined;
};

export type InboxFilter = Paging & { unreadOnly?: boolean | undefined };

export type DeliveryFilter = Paging & {
  laneId?: string | undefined;
  messageId?: string | undefined;
  statuses?: readonly Status[] | undefined;
  /**
   * Only deliveries whose message id, lane, status or reason contains all of these words, or whose id starts with them.
   * Each page searches the 5,000 newest.
   */
  query?: string | undefined;
};

export type DueReconcile = { laneId: string; deliveryId: string; team: string | null };

export type Finding = { subject: string; problem: string };

/**
 * The result of a change, for a caller that continues before it is durable. Nothing may leave Waybill because of it
 * before `durable` resolves. If that rejects, nothing built on the change has become durable either.
 */
export type Staged<T> = { result: T; durable: Promise<void> };

export type LaneStore = {
  /** Creates a lane, or changes its settings; its sessions stay. */
  putLane(lane: NewLane): Promise<Lane>;
  /** Changes the given fields. Refused (`lane_unknown`) for a lane that does not exist. */
  changeLane(id: string, change: LaneChange): Promise<Lane>;
  lane(id: string): Promise<Lane | null>;
  lanes(): Promise<Lane[]>;
  /** Null resumes the lane. */
  pauseLane(id: string, reason: string | null): Promise<Lane>;
  /**
   * The lane is unknown from then on. Its history stays, and if it is created again, its generations continue.
   * Returns false and changes nothing while it has open deliveries.
   */
  removeLane(id: string, at: number): Promise<boolean>;
  /** Makes `sessionId` the lane's session, as a new generation. Refused (`session_in_use`) if another lane has it. */
  openSession(laneId: string, sessionId: string, at: number): Promise<Lane>;
  sessions(laneId: string): Promise<LaneSession[]>;
  /** Creates a new lane with its session and its first events, all or nothing. */
  forkLane(fork: LaneFork, keep: number): Promise<Lane>;
};

export type TeamStore = {
  /** Oldest first, each with its members. */
  teams(): Promise<Team[]>;
  team(name: string): Promise<Team | null>;
  /**
   * Creates a team, or changes its display name and directory. Refused (`directory_taken`) if another team has that
   * directory.
   */
  putTeam(team: NewTeam): Promise<Team>;
  /** The lanes of its members stay; false if there is no such team. */
  removeTeam(name: string): Promise<boolean>;
  setTeamState(name: string, state: TeamState): Promise<Team>;
  /**
   * Adds or changes a member, and assigns its lane if Waybill runs it. Refused if the team (`team_unknown`) or the lane
   * (`lane_unknown`) does not exist, or if the lane belongs to another member (`lane_taken`).
   */
  putMember(member: NewMember): Promise<Team>;
  /** Its lane stays without a member. Refused (`member_unknown`) if there is no such member. */
  removeMember(team: string, name: string): Promise<Team>;
  /** Its shutdown was approved; null revokes that. */
  terminateMember(team: string, name: string, at: number | null): Promise<Team>;
  /** Pairs of lanes that wait for a person to release them, oldest first. */
  heldExchanges(): Promise<Exchange[]>;
  /**
   * Resets the count of the pair once nothing between them is held. Returns the held deliveries, oldest first; while
   * there are any, it changes nothing.
   */
  endExchange(pair: ExchangePair): Promise<DeliveryRecord[]>;
  /** Held deliveries that the lane's agent has sent, oldest first. */
  heldFrom(laneId: string): Promise<DeliveryRecord[]>;
};

/** A hand-over with its message. */
export type OpenHandOver = { handOver: HandOver; message: Mail };

export type InboxFileStore = {
  /**
   * Messages to be written into the inbox files of a team, and rows there that were not taken yet; oldest first. Each
   * is created in the same transaction as its message.
   */
  openHandOvers(team: string): Promise<OpenHandOver[]>;
  /** Null for a message that is not in a file. */
  handOver(recipient: Address, messageId: string): Promise<HandOver | null>;
  /** Returns null and changes nothing if there is none. */
  changeHandOver(
    recipient: Address,
    messageId: string,
    change: HandOverChange,
    at: number,
    restored?: boolean,
  ): Promise<HandOver | null>;
  /** Adds an event in a team's files to the log. */
  noteInbox(note: InboxNote, laneId: string | null, at: number): Promise<void>;
};

export type LedgerStore = {
  /**
   * Idempotent by (recipient, message id). The choice for the lane is applied only with a new message, in the same
   * transaction.
   */
  admit(request: AdmissionRequest): Promise<Admission>;
  stageAdmission(request: AdmissionRequest): Promise<Staged<Admission>>;
  /**
   * Applies all events or none, each with its audit row, and writes `mail` in the same transaction. Mail that already
   * exists is left as it is. Events that send are refused while the lane is paused.
   */
  apply(deliveryId: string, events: readonly DeliveryEvent[], mail?: readonly OutgoingMail[]): Promise<Applied>;
  stage(deliveryId: string, events: readonly DeliveryEvent[], mail?: readonly OutgoingMail[]): Promise<Staged<Applied>>;
  /** Writes a record for a message that has none. Refused if there is one. */
  rebuild(record: DeliveryRecord): Promise<Applied>;
  delivery(id: string): Promise<DeliveryRecord | null>;
  deliveryOf(laneId: string, messageId: string): Promise<DeliveryRecord | null>;
  /** Newest first. */
  deliveries(filter: DeliveryFilter): Promise<Page<DeliveryRecord>>;
  /**
   * The deliveries of these messages, newest first; a message to a mailbox has none. The cost does not grow with the
   * history.
   */
  deliveriesOf(messages: readonly Pick<Mail, "id" | "recipient">[]): Promise<DeliveryRecord[]>;
  counts(): Promise<Record<Status, number>>;
  history(deliveryId: string): Promise<DeliveryEvent[]>;
  /** The delivery that holds the lane. */
  outstanding(laneId: string): Promise<DeliveryRecord | null>;
  /** The oldest delivery of the lane that waits for its turn. */
  head(laneId: string): Promise<DeliveryRecord | null>;
  /** Deliveries that hold the lane, wait in it, or still owe their read. */
  openDeliveries(laneId: string): Promise<DeliveryRecord[]>;
  /** How many deliveries of the lane wait for their turn. */
  waiting(laneId: string): Promise<number>;
  lanesWithWork(): Promise<string[]>;
  /** The nearest reconcile, or the nearest one later than `after`. */
  nextReconcileAt(after?: number): Promise<number | null>;
  /** Reconciles that are due, oldest first, except those of the given teams. */
  dueReconciles(now: number, limit: number, exceptTeams?: readonly string[]): Promise<DueReconcile[]>;
  /** Deliveries whose next reconcile is later than `time`, except those that only wait for their expiry. */
  scheduledAfter(time: number): Promise<DeliveryRecord[]>;
  /** Deliveries that failed for good although their lane's agent has replied to the message. */
  failedWithReply(): Promise<DeliveryRecord[]>;
  /** Deliveries that failed for good, are unread and never raised an alert. */
  failedWithoutAlert(): Promise<DeliveryRecord[]>;
};

/** Grouped by conversation: of a lane, or of a member that Waybill does not run, as `team/member`. */
export type UnreadCount = { laneId: string | null; member: string | null; count: number };

export type MailStore = {
  message(recipient: Address, id: string): Promise<Mail | null>;
  /** Newest first. */
  mailOf(recipient: Address, limit: number): Promise<Mail[]>;
  /** In any mailbox: senders choose ids, so several recipients may have the same one. */
  messagesWithId(id: string): Promise<Mail[]>;
  /** Messages in a mailbox that reply to `messageId`, oldest first. */
  repliesIn(mailbox: Address, messageId: string): Promise<Mail[]>;
  /** Messages that an agent has sent, identified by its connection; newest first. */
  mailFrom(sender: Address, limit: number): Promise<Mail[]>;
  /** The mailbox of a person, or of a member that Waybill does not run; newest first. */
  inbox(reader: Address, filter: InboxFilter): Promise<Page<Mail>>;
  /** Marks messages in such a mailbox as read, or all of them; returns how many were unread. Notifies log listeners. */
  markRead(reader: Address, ids: readonly string[] | "all", at: number): Promise<number>;
  /** Unread counts in such a mailbox by conversation, among its newest 10,000 messages. */
  unreadByConversation(reader: Address): Promise<UnreadCount[]>;
  /** Unread counts of each person's mailbox. */
  unreadByPerson(): Promise<Record<string, number>>;
  /** Newest first. With `query`: messages that contain all of its words. */
  messages(filter: MailFilter): Promise<Page<Mail>>;
  /** Replies to a message in a lane, by the agent or by Waybill, oldest first. `to` is the recipient of the answer. */
  writtenBack(messageId: string, laneId: string, to: Address): Promise<Mail[]>;
  /** Messages by the agent of a lane that reply to `messageId`, oldest first. */
  repliesTo(messageId: string, fromLane: string): Promise<Mail[]>;
  /** Unread messages to lanes that have no record in the ledger. */
  unrecorded(): Promise<Mail[]>;
  /** The given attachments that some message names. */
  namedAttachments(ids: readonly string[]): Promise<Set<string>>;
};

export type LogStore = {
  /**
   * Appends events of any lanes, all or none. Deltas are not stored, but are published in order. The other events of
   * each lane must follow its last one without a gap. Once a lane has far more than `keep`, its oldest events are
   * removed.
   */
  appendEvents(events: readonly NewEvent[], keep: number): Promise<void>;
  /** False if it was raised before. */
  raise(alert: Alert): Promise<boolean>;
  /** Tells listeners what a member is doing now; not stored. */
  passMemberState(item: { team: string; member: string; state: MemberState; laneId: string | null; at: number }): void;
  /** Tells listeners of an ask; not stored. */
  passAsk(item: { ask: string; open: boolean; laneId: string; at: number }): void;
  /** Oldest first. A page may be shorter than its limit if items are large. */
  readLog(query: LogQuery): Promise<LogPage>;
  /** The cursor of the newest published item. */
  logEnd(): string;
  /** Publishes durable changes and unstored items in order. Listeners must be fast. */
  onLog(listener: (items: readonly LogItem[]) => void): () => void;
  /**
   * Newest first: the lane's events before the number `seq`, or the newest. With `maxCharacters`, as many as fit into
   * that much JSON, and at least one.
   */
  eventsBefore(laneId: string, seq: number | null, limit: number, maxCharacters?: number): Promise<UniversalEvent[]>;
  /** The number of the lane's newest event, even if it was pruned; 0 if it never had one. */
  lastEventSeq(laneId: string): Promise<number>;
  /** Lanes whose newest turn has not ended, according to their events. */
  lanesInTurn(): Promise<string[]>;
};

export type UsageStore = {
  /**
   * Counts what a lane's agent used, by the runtime's message id. A message that was counted before keeps its first day
   * and the larger amount: some programs report only once what a message cost. Also adds to the statistics of that day.
   */
  countUsage(laneId: string, entries: readonly UsageEntry[]): Promise<void>;
  usageOf(laneId: string, day: string): Promise<DayUsage>;
  /** Nothing that the lane uses on this day counts against its limits any more. */
  liftLimits(laneId: string, day: string): Promise<void>;
};

/** `from`: the first day to return. */
export type StatsFilter = { from: string; laneId?: string | undefined };

export type StatsStore = {
  /**
   * The statistics of each lane and day, by day and then by lane, including removed lanes. The end of a delivery is
   * counted in the transaction that writes it.
   */
  dayStats(filter: StatsFilter): Promise<DayStats[]>;
};

/** An update as the chat service sent it. */
export type Update = { id: string; body: unknown; receivedAt: number };

/** `key` identifies the content, so that nothing is written twice. Rows of one channel are sent in order. */
export type NewOutboxRow = { key: string; channel: string; body: unknown };

/** `refs`: the service's ids of the parts it has taken, in order. */
export type OutboxChange = {
  state: "waiting" | "sent" | "failed";
  refs: readonly unknown[];
  attempts: number;
  nextTryAt: number;
  reason: string | null;
};

export type OutboxRow = NewOutboxRow & OutboxChange & { seq: number; createdAt: number };

/** What a transport writes in one transaction. */
export type TransportWrites = {
  updates?: readonly { id: string; body: unknown }[];
  /** The ids of updates that are done. Their bodies are dropped; their ids stay for a while. */
  handled?: readonly string[];
  /** A row with a known key is left as it is. */
  outbox?: readonly NewOutboxRow[];
  /** Null removes the key. */
  state?: readonly { key: string; value: unknown }[];
  /** A channel was renamed; its waiting rows move to the new name. */
  moved?: { from: string; to: string };
};

/** For transports that connect to people outside Waybill. */
export type TransportStore = {
  /** Returns the ids of the new updates. */
  writeTransport(transport: string, writes: TransportWrites, at: number): Promise<string[]>;
  /** Oldest first. */
  unhandledUpdates(transport: string): Promise<Update[]>;
  transportState(transport: string): Promise<Map<string, unknown>>;
  /** The oldest row that waits in each channel. */
  outboxHeads(transport: string): Promise<OutboxRow[]>;
  outboxHead(transport: string, channel: string): Promise<OutboxRow | null>;
  outboxRow(transport: string, key: string): Promise<OutboxRow | null>;
  changeOutboxRow(seq: number, change: OutboxChange, at: number): Promise<void>;
};

/** `log`: messages, deliveries and lanes; `events`: what agents did; `stats`: statistics of days. */
export type PruneTimes = { responded: number; failed: number; log: number; events: number; stats: number };

export type Housekeeping = {
  /** Resolves once everything that reads have returned is durable; rejects if it cannot be. */
  settled(): Promise<void>;
  /** Resolves if the store can be written. */
  probe(at: number): Promise<void>;
  /**
   * Removes records that ended before the given times and whose messages are read, and returns how many. Also removes
   * log entries before `log`, events before `events` except the newest of each lane, and days before `stats`.
   */
  prune(before: PruneTimes): Promise<number>;
  check(): Promise<Finding[]>;
  close(): Promise<void>;
};
