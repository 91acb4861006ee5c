/**
 * The store in the verbs of the domain, by role. Nothing in here knows a database: an adapter may be embedded or shared, and
 * one conformance suite runs on all of them. An adapter loads facts, has a plan of the core decide, and saves what it says in
 * one transaction.
 *
 * A promise that resolves means that what it says is durable. Effects are carried out after that, never before.
 */
import type { Alert } from "../core/delivery/alert.ts";
import type { DeliveryEvent } from "../core/delivery/delivery-event.ts";
import type { OutgoingMail } from "../core/delivery/outgoing-mail.ts";
import type { DeliveryRecord, Status } from "../core/delivery/record.ts";
import type { HandOver, HandOverChange } from "../core/inbox/hand-over.ts";
import type { InboxNote } from "../core/inbox/inbox-note.ts";
import type { DayUsage, UsageEntry } from "../core/lane/daily-limit.ts";
import type { Lane, LaneChange, LaneSession, NewLane } from "../core/lane/lane.ts";
import type { LogItem, LogPage, LogQuery, NewEvent } from "../core/log/log-item.ts";
import type { Page, Paging } from "../core/log/page.ts";
import type { Address } from "../core/message/address.ts";
import type { Mail } from "../core/message/message.ts";
import type { Admission, AdmissionRequest, LaneChoice, LaneFork } from "../core/plan/plans.ts";
import type { Applied } from "../core/plan/writes.ts";
import type { Exchange, ExchangePair } from "../core/team/exchange.ts";
import type { MemberState, NewMember, NewTeam, Team, TeamState } from "../core/team/team.ts";
import type { UniversalEvent } from "../core/turn/universal-event.ts";

export type { Admission, AdmissionRequest, Applied, LaneChoice, LaneFork, LaneSession, NewLane, UsageEntry };

export type MailFilter = Paging & { lane?: string | undefined; query?: string | undefined };

export type InboxFilter = Paging & { unreadOnly?: boolean | undefined };

export type DeliveryFilter = Paging & {
  laneId?: string | undefined;
  messageId?: string | undefined;
  statuses?: readonly Status[] | undefined;
};

export type DueReconcile = { laneId: string; deliveryId: string; team: string | null };

export type Finding = { subject: string; problem: string };

/**
 * What a change came to, for one who goes on before it is durable. Nothing may leave Waybill because of it before `durable`
 * resolves; when that rejects, nothing that was built on the change has become durable either.
 */
export type Staged<T> = { result: T; durable: Promise<void> };

export type LaneStore = {
  /** Makes a lane, or changes the settings of one; its sessions stay. */
  putLane(lane: NewLane): Promise<Lane>;
  /** Changes what is named, and makes no lane that is not there (`lane_unknown`). */
  changeLane(id: string, change: LaneChange): Promise<Lane>;
  lane(id: string): Promise<Lane | null>;
  lanes(): Promise<Lane[]>;
  /** Null lets the lane go on. */
  pauseLane(id: string, reason: string | null): Promise<Lane>;
  /**
   * The lane is unknown from then on; what happened in it stays, and made again it goes on with its generations.
   * False, and nothing is changed, while deliveries are open in it.
   */
  removeLane(id: string, at: number): Promise<boolean>;
  /** Makes `sessionId` the lane's session, as a new generation. Refused (`session_in_use`) while it is another lane's. */
  openSession(laneId: string, sessionId: string, at: number): Promise<Lane>;
  sessions(laneId: string): Promise<LaneSession[]>;
  /** Makes a lane that is not there yet, with its session and its first events, all or nothing. */
  forkLane(fork: LaneFork, keep: number): Promise<Lane>;
};

export type TeamStore = {
  /** Oldest first, each with its members. */
  teams(): Promise<Team[]>;
  team(name: string): Promise<Team | null>;
  /** Makes a team, or changes what people call it and where its files are. Refused (`directory_taken`) for another's files. */
  putTeam(team: NewTeam): Promise<Team>;
  /** The lanes of its members stay; false when there is no such team. */
  removeTeam(name: string): Promise<boolean>;
  setTeamState(name: string, state: TeamState): Promise<Team>;
  /**
   * Adds a member or changes one, and takes the lane of one that Waybill runs. Refused for a team (`team_unknown`) or a
   * lane (`lane_unknown`) that is not there, and for a lane of another member (`lane_taken`).
   */
  putMember(member: NewMember): Promise<Team>;
  /** Its lane stays, and belongs to nobody. Refused (`member_unknown`) when there is none of that name. */
  removeMember(team: string, name: string): Promise<Team>;
  /** Its shutdown was approved; null takes that back. */
  terminateMember(team: string, name: string, at: number | null): Promise<Team>;
  /** Pairs of lanes that a person has to let go on, oldest first. */
  heldExchanges(): Promise<Exchange[]>;
  /**
   * The pair is counted anew, once nothing is held between them any more. Returns what is, oldest first, and changes nothing as
   * long as that is to be released.
   */
  endExchange(pair: ExchangePair): Promise<DeliveryRecord[]>;
  /** What the agent of a lane has sent and is held, oldest first. */
  heldFrom(laneId: string): Promise<DeliveryRecord[]>;
};

/** With its message, as it is written. */
export type OpenHandOver = { handOver: HandOver; message: Mail };

export type InboxFileStore = {
  /**
   * What is to be written into the inbox files of a team, and what stands there and was not taken; oldest first. It comes to be
   * with the message, in the same transaction.
   */
  openHandOvers(team: string): Promise<OpenHandOver[]>;
  /** Null for a message that is in no file. */
  handOver(recipient: Address, messageId: string): Promise<HandOver | null>;
  /** Null, and nothing is changed, when there is none. */
  changeHandOver(
    recipient: Address,
    messageId: string,
    change: HandOverChange,
    at: number,
    restored?: boolean,
  ): Promise<HandOver | null>;
  /** Adds to the log what happened in a team's files. */
  noteInbox(note: InboxNote, laneId: string | null, at: number): Promise<void>;
};

export type LedgerStore = {
  /**
   * Idempotent by (recipient, message id). What is chosen for the lane is taken in the same transaction, and with a
   * message that is new.
   */
  admit(request: AdmissionRequest): Promise<Admission>;
  stageAdmission(request: AdmissionRequest): Promise<Staged<Admission>>;
  /**
   * Applies all events or none, each with its audit row, and writes `mail` in the same transaction.
   * Mail that is already there is left as it is. Nothing that sends is taken while the lane is paused.
   */
  apply(deliveryId: string, events: readonly DeliveryEvent[], mail?: readonly OutgoingMail[]): Promise<Applied>;
  stage(deliveryId: string, events: readonly DeliveryEvent[], mail?: readonly OutgoingMail[]): Promise<Staged<Applied>>;
  /** Writes a record for a message that has none. Refused when there is one. */
  rebuild(record: DeliveryRecord): Promise<Applied>;
  delivery(id: string): Promise<DeliveryRecord | null>;
  deliveryOf(laneId: string, messageId: string): Promise<DeliveryRecord | null>;
  /** Newest first. */
  deliveries(filter: DeliveryFilter): Promise<Page<DeliveryRecord>>;
  counts(): Promise<Record<Status, number>>;
  history(deliveryId: string): Promise<DeliveryEvent[]>;
  /** The delivery that holds the lane. */
  outstanding(laneId: string): Promise<DeliveryRecord | null>;
  /** The oldest delivery of the lane that waits for its turn. */
  head(laneId: string): Promise<DeliveryRecord | null>;
  /** What holds the lane, waits in it, or still owes its read. */
  openDeliveries(laneId: string): Promise<DeliveryRecord[]>;
  /** How many deliveries of the lane wait for their turn. */
  waiting(laneId: string): Promise<number>;
  lanesWithWork(): Promise<string[]>;
  /** The nearest reconcile, or the nearest one later than `after`. */
  nextReconcileAt(after?: number): Promise<number | null>;
  /** Reconciles whose time has come, oldest first, leaving out those of some teams. */
  dueReconciles(now: number, limit: number, exceptTeams?: readonly string[]): Promise<DueReconcile[]>;
  /** Deliveries whose next reconcile is later than `time`, but for those that only wait for their expiry. */
  scheduledAfter(time: number): Promise<DeliveryRecord[]>;
  /** Deliveries that failed for good although their lane's agent has replied to the message. */
  failedWithReply(): Promise<DeliveryRecord[]>;
  /** Deliveries that failed for good, are unread, and have had no alert. */
  failedWithoutAlert(): Promise<DeliveryRecord[]>;
};

export type MailStore = {
  message(recipient: Address, id: string): Promise<Mail | null>;
  /** Newest first. */
  mailOf(recipient: Address, limit: number): Promise<Mail[]>;
  /** In whatever mailboxes: ids are chosen by senders, and several recipients may have the same. */
  messagesWithId(id: string): Promise<Mail[]>;
  /** What stands in a mailbox and names `messageId` as what it replies to, oldest first. */
  repliesIn(mailbox: Address, messageId: string): Promise<Mail[]>;
  /** What an agent has sent, by its connection; newest first. */
  mailFrom(sender: Address, limit: number): Promise<Mail[]>;
  /** What stands in the mailbox of a person, or of a member that somebody else runs; newest first. */
  inbox(reader: Address, filter: InboxFilter): Promise<Page<Mail>>;
  /** Marks messages in such a mailbox as read, or all of them; returns how many were not. */
  markRead(reader: Address, ids: readonly string[] | "all", at: number): Promise<number>;
  /** How many are unread in each mailbox of a person. */
  unreadByPerson(): Promise<Record<string, number>>;
  /** Newest first. With `query`: those in which all of its words were said. */
  messages(filter: MailFilter): Promise<Page<Mail>>;
  /** What was written back about a message in a lane, by the agent or by Waybill, oldest first. `to`: who was to get it. */
  writtenBack(messageId: string, laneId: string, to: Address): Promise<Mail[]>;
  /** Messages that the agent of a lane wrote and that name `messageId` as what they reply to, oldest first. */
  repliesTo(messageId: string, fromLane: string): Promise<Mail[]>;
  /** Unread messages of lanes that have no record in the ledger. */
  unrecorded(): Promise<Mail[]>;
  /** Those of these attachments that a message names. */
  namedAttachments(ids: readonly string[]): Promise<Set<string>>;
};

export type LogStore = {
  /**
   * Adds events of any lanes, all or none; deltas are not kept, and pass by in their order. In each lane the others must
   * follow its last one without a gap. When a lane comes to have a good deal more than `keep`, its oldest are removed.
   */
  appendEvents(events: readonly NewEvent[], keep: number): Promise<void>;
  /** False when it was raised before. */
  raise(alert: Alert): Promise<boolean>;
  /** Tells listeners what a member is doing now; that is not kept. */
  passMemberState(item: { team: string; member: string; state: MemberState; laneId: string | null; at: number }): void;
  /** Oldest first. A page may be shorter than its limit when items are large. */
  readLog(query: LogQuery): Promise<LogPage>;
  /** The cursor of the newest item that listeners were told of. */
  logEnd(): string;
  /** Tells of what has become durable, and of what passes by, in its order. Listeners must not take long over it. */
  onLog(listener: (items: readonly LogItem[]) => void): () => void;
  /** Newest first: events of a lane before the number `seq`, or the newest. */
  eventsBefore(laneId: string, seq: number | null, limit: number): Promise<UniversalEvent[]>;
  /** The number of the lane's newest event, also when that is not kept any more; 0 when it never had one. */
  lastEventSeq(laneId: string): Promise<number>;
  /** Lanes whose newest turn has not ended, as far as events tell. */
  lanesInTurn(): Promise<string[]>;
};

export type UsageStore = {
  /**
   * What was used by a lane's agent, by the runtime's own message. One that was counted before has used what is more of
   * the two, on the day on which it first was: some programs say only once what a message cost.
   */
  countUsage(laneId: string, entries: readonly UsageEntry[]): Promise<void>;
  usageOf(laneId: string, day: string): Promise<DayUsage>;
  /** Nothing that the lane uses on this day counts against its limits any more. */
  liftLimits(laneId: string, day: string): Promise<void>;
};

/** What a chat service reported, as it came. */
export type Update = { id: string; body: unknown; receivedAt: number };

/** `key` names what it says, so that nothing is written twice. Rows of one channel are sent in their order. */
export type NewOutboxRow = { key: string; channel: string; body: unknown };

/** `refs`: what the service calls the parts that it has taken, in their order. */
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
  /** The ids of updates that need no handling any more. Their bodies are dropped; their ids stay for a while. */
  handled?: readonly string[];
  /** A row whose key is known is left as it is. */
  outbox?: readonly NewOutboxRow[];
  /** Null forgets the key. */
  state?: readonly { key: string; value: unknown }[];
  /** A channel has another name from now on; what waits for it is sent there. */
  moved?: { from: string; to: string };
};

/** For transports that speak to people elsewhere. */
export type TransportStore = {
  /** Returns the ids of the updates that are new. */
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

/** `log`: what happened to messages, deliveries and lanes; `events`: what agents did. */
export type PruneTimes = { responded: number; failed: number; log: number; events: number };

export type Housekeeping = {
  /** Resolves when everything that reads have shown so far is durable; rejects when it is not going to be. */
  settled(): Promise<void>;
  /** Resolves when the store can be written. */
  probe(at: number): Promise<void>;
  /**
   * Removes records that ended before the given times and whose messages are read, and returns how many; what happened
   * before `log`; and events before `events`, but for the newest of each lane.
   */
  prune(before: PruneTimes): Promise<number>;
  check(): Promise<Finding[]>;
  close(): Promise<void>;
};

export type Store = LaneStore &
  TeamStore &
  InboxFileStore &
  LedgerStore &
  MailStore &
  LogStore &
  UsageStore &
  TransportStore &
  Housekeeping;
