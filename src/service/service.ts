/**
 * The port that every transport calls. A promise that resolves means that the change is durable; a failure throws an
 * `AppError` whose code is documented in docs/operations.md.
 */
import type { DeliveryEvent } from "../core/delivery/delivery-event.ts";
import type { Outlook, QueuedBehind } from "../core/delivery/outlook.ts";
import type { DeliveryRecord, Status } from "../core/delivery/record.ts";
import type { HandOver } from "../core/inbox/hand-over.ts";
import type { DayUsage, Lane, Notice, ReplyContract } from "../core/lane/lane.ts";
import type { LogPage, LogQuery, Page, Paging } from "../core/log/log-item.ts";
import type { Attachment, Mail, Message, Source } from "../core/message/message.ts";
import type { DayStats } from "../core/stats/day-stats.ts";
import type { Exchange } from "../core/team/exchange.ts";
import type { Member, MemberState, Team } from "../core/team/team.ts";
import type { UniversalEvent } from "../core/turn/universal-event.ts";
import type { OpenAsk } from "../courier/ask-registry.ts";
import type { LaneTurn } from "../events/lane-log.ts";
import type { ChooseLaneChange } from "../mail/admission.ts";
import type { NewAttachment, StoredAttachment } from "../mail/attachments/attachment-files.ts";
import type { NewMessage } from "../mail/message-schema.ts";
import type { RunningProgram } from "../runtimes/port.ts";
import type { InboxFilter, MailFilter } from "../store/port.ts";
import type { FollowedItem, FollowOptions } from "./follow-log.ts";

export type { FollowedItem, LaneTurn, OpenAsk, RunningProgram };

export type Send = Omit<NewMessage, "id"> & { id?: string | undefined };

/** A delivery, and the message it waits for, if any. */
export type DeliveryState = { record: DeliveryRecord; queuedBehind: QueuedBehind | null };

/** With the beginning of the message's text; null if the message is gone. */
export type ListedDelivery = DeliveryState & { excerpt: string | null };

/** By conversation: a lane, else a member that somebody else runs, as `team/member`. */
export type Unread = { total: number; lanes: Record<string, number>; members: Record<string, number> };

/** A message, and the state of its row in an inbox file, if it has one. */
export type ShownMail = Mail & { handOver?: HandOver | null };

/** There is no delivery to a recipient who reads a mailbox: a person, or a member that somebody else runs. */
export type SendResult = {
  message: Message;
  delivery: DeliveryState | null;
  known: boolean;
  /** For a message to a member whose inbox is a file. */
  handOver: HandOver | null;
  /** Why it is currently not sent, in words. */
  waits: string | null;
};

export type DeliveryDetail = DeliveryState & {
  message: Mail | null;
  /** Replies from the agent or Waybill, oldest first. */
  replies: readonly Mail[];
  history: readonly DeliveryEvent[];
  outlook: Outlook;
};

export type LaneState = {
  lane: Lane;
  /** Whether the runtime that drives it can be reached. */
  runtimeReady: boolean;
  holder: DeliveryRecord | null;
  waiting: number;
  /** Why its head message is currently not sent, if the ledger does not show it. */
  waitReason: string | null;
  /** Problems that its runtime reports although it works. */
  notices: readonly Notice[];
  /** Its usage today. */
  usage: DayUsage;
};

/** Newest first. `nextBefore` is where the next older page starts; null if nothing older is kept. */
export type LaneEventPage = { events: readonly UniversalEvent[]; nextBefore: number | null };

export type LaneSettings = {
  id: string;
  displayName: string | null;
  team: string | null;
  member: string | null;
  runtime: string | null;
  directory: string;
  agent: string | null;
  model: string | null;
  contract: ReplyContract;
};

export type MemberDetail = Member & {
  state: MemberState;
  /** For a member that Waybill runs: the contract of its lane. */
  contract: ReplyContract | null;
};

export type TeamDetail = Omit<Team, "members"> & {
  members: readonly MemberDetail[];
  /** Problems with its inbox files. */
  notices: readonly Notice[];
};

/** `lanes`: the members that Waybill runs, and their lanes. All others are run by somebody else. */
export type TeamImport = {
  directory: string;
  name: string | null;
  lanes: Readonly<Record<string, string>>;
  /** Whether the agents of a Claude Code session should know Waybill, so that they can answer it. */
  join: boolean;
};

/** A member of kind `lane` that names no lane works in the lane of its own name. */
export type MemberSettings = Pick<Member, "name" | "kind" | "lane" | "displayName" | "role" | "color"> & {
  contract: ReplyContract | null;
};

/** A program that works in lanes, or could. */
export type RuntimeState = {
  kind: string;
  /** Whether it could be started here. If not, messages to its lanes wait. */
  ready: boolean;
  /** Whether new lanes use it unless they name another one. */
  isDefault: boolean;
  /** Models named by lanes, the configuration or the program itself. */
  models: readonly string[];
  /** Whether a message may include a `system`. Also true if unknown; the delivery then decides. */
  takesSystem: boolean;
};

/** The running programs of a runtime; `problem` is why its lanes cannot work. */
export type RuntimePrograms = { problem: string | null; programs: readonly RunningProgram[] };

/** A directory in which lanes may work, with its symlinks resolved. */
export type Workspace = {
  directory: string;
  /** Directories in it that contain Waybill's own state and are never shown. */
  denied: readonly string[];
};

export type ListedDirectory = { name: string; path: string; isRepository: boolean };

/**
 * Directories in which lanes may work. `path` and `parent` are null at the top, which lists the allowed directories.
 */
export type DirectoryList = {
  path: string | null;
  parent: string | null;
  roots: readonly string[];
  directories: readonly ListedDirectory[];
  truncated: boolean;
};

/** An ask, and where its agent works; null if its lane was removed. */
export type ShownAsk = OpenAsk & { directory: string | null };

export type AskDecision = {
  decision: "once" | "always" | "reject";
  answers?: readonly (readonly string[])[] | undefined;
  /** Why a permission is rejected. The agent reads it and continues; without it, a rejection ends the turn. */
  message?: string | undefined;
};

/** The days from `from` to `to`, oldest first, then by lane; only those on which something happened. */
export type StatsReport = { from: string; to: string; days: readonly DayStats[] };

export type Readiness = { ready: boolean; degraded: boolean; reasons: readonly string[] };

export type Service = {
  /** `known` if the same message was admitted before. The lane changes from `choose` are stored with the message. */
  send(message: Send, choose?: ChooseLaneChange): Promise<SendResult>;
  /** A message to a lane; null if there is none. */
  message(lane: string, id: string): Promise<Mail | null>;
  /** Newest first; with `query`, those that contain all of its words. */
  messages(filter: MailFilter): Promise<Page<ShownMail>>;
  /** Withdraws a message that has not been sent. `lane` is required if several lanes have a message with that id. */
  withdraw(messageId: string, lane?: string): Promise<DeliveryState>;

  deliveries(
    filter: Paging & {
      lane?: string | undefined;
      messageId?: string | undefined;
      statuses?: readonly Status[] | undefined;
      /** As in the store's filter. */
      query?: string | undefined;
    },
  ): Promise<Page<ListedDelivery>>;
  /** The deliveries of these messages, newest first. */
  deliveriesOf(messages: readonly Mail[]): Promise<readonly DeliveryState[]>;
  delivery(id: string): Promise<DeliveryDetail>;
  retry(deliveryId: string): Promise<DeliveryState>;
  cancel(deliveryId: string): Promise<DeliveryState>;

  lanes(): Promise<readonly LaneState[]>;
  lane(id: string): Promise<LaneState>;
  putLane(settings: LaneSettings): Promise<LaneState>;
  renameLane(id: string, displayName: string | null): Promise<LaneState>;
  removeLane(id: string, force: boolean): Promise<void>;
  /**
   * Ends the running turn, or the message about to be sent; its delivery is cancelled and never retried. Messages
   * that wait behind it continue, except those from the source `alsoWaiting`.
   */
  abort(laneId: string, alsoWaiting?: Source): Promise<LaneState>;
  pause(laneId: string, reason: string): Promise<LaneState>;
  resume(laneId: string): Promise<LaneState>;
  /** Frees a lane whose last delivery owes something that can neither be read nor written. */
  release(laneId: string): Promise<LaneState>;

  /** Continues the lane in an existing session of its agent program, from the next message on. */
  adoptSession(laneId: string, sessionId: string): Promise<LaneState>;
  /**
   * Continues the lane in a fresh session, from the next message on. With `notSince`, nothing happens if it has got
   * one since then, so that the call can be repeated.
   */
  newSession(laneId: string, notSince?: number): Promise<LaneState>;

  /** A new lane with this one's history, or with the part before the prompt that event number `before` introduced. */
  fork(laneId: string, before: number | null, as: { id: string; displayName: string | null }): Promise<LaneState>;

  teams(): Promise<readonly TeamDetail[]>;
  team(name: string): Promise<TeamDetail>;
  putTeam(team: Pick<Team, "name" | "displayName">): Promise<TeamDetail>;
  /** Follows the inbox files of a team in a directory from now on. */
  importTeam(team: TeamImport): Promise<TeamDetail>;
  /** The lanes of its members stay. */
  removeTeam(name: string): Promise<void>;
  putMember(team: string, member: MemberSettings): Promise<TeamDetail>;
  /** Its lane stays, and waiting messages are still delivered. */
  removeMember(team: string, member: string): Promise<TeamDetail>;
  /** Nothing is sent to its members until it is resumed; running turns continue. */
  pauseTeam(name: string): Promise<TeamDetail>;
  resumeTeam(name: string): Promise<TeamDetail>;
  /** Also ends running turns, and notifies senders who wait. */
  stopTeam(name: string): Promise<TeamDetail>;
  /** The approved shutdown of a member: it gets nothing more until it is added again. */
  shutDownMember(team: string, member: string): Promise<TeamDetail>;
  /** For a member that somebody else runs. */
  memberToken(team: string, member: string): Promise<string>;

  /** Stores a file for messages that name it. Safe to repeat. A file that no message names is removed after a day. */
  storeAttachment(file: NewAttachment): Promise<Attachment>;
  attachment(id: string): Promise<StoredAttachment>;

  /** Newest first. */
  inbox(person: string, filter: InboxFilter): Promise<Page<Mail>>;
  /** Returns how many were unread. */
  markRead(person: string, ids: readonly string[] | "all"): Promise<number>;

  /** How many messages to a person are unread, in total and by conversation; counts the newest 10,000. */
  unread(person: string): Promise<Unread>;

  /** Pairs of lanes whose agents are stuck in a loop of messages, and wait for a person. */
  holds(): Promise<readonly Exchange[]>;
  /** Releases a pair; returns how many messages were held. */
  releaseHold(lanes: readonly [string, string]): Promise<number>;

  /** Oldest first. */
  asks(): Promise<readonly ShownAsk[]>;
  answer(askId: string, decision: AskDecision): Promise<void>;

  /** New items, including those that are not kept. A slow reader delays only itself. */
  follow(options: FollowOptions): AsyncIterable<FollowedItem>;
  /** Past items, oldest first. Throws if Waybill did not create the cursor. */
  log(query: LogQuery): Promise<LogPage>;
  /** The cursor of the newest item. */
  logEnd(): string;
  /** The open items of a lane, with their text so far: deltas are not kept. */
  turn(laneId: string): Promise<LaneTurn>;
  /** Newest first: the events of a lane before the number `seq`, or its newest. */
  eventsBefore(laneId: string, seq: number | null, limit: number): Promise<readonly UniversalEvent[]>;
  /** The same as a page of bounded size. The events of a removed lane remain for as long as they are kept. */
  laneEvents(laneId: string, page: { before: number | null; limit: number }): Promise<LaneEventPage>;

  /** With a directory, includes the models that programs list there, if lanes work there. */
  runtimes(directory?: string): Promise<readonly RuntimeState[]>;
  /** What is running now, by kind of runtime. Starts nothing. */
  programs(): Promise<Readonly<Record<string, RuntimePrograms>>>;
  /** Without a directory, uses the oldest lane's, else the first allowed one. */
  workspace(directory?: string): Promise<Workspace>;

  /** In a directory, or the allowed ones themselves. */
  directories(path?: string): Promise<DirectoryList>;

  /** Await it before an answer leaves: data that was read may not be durable yet. */
  settled(): Promise<void>;

  /** Uses no tokens. */
  readiness(): Promise<Readiness>;
  counts(): Promise<Readonly<Record<Status, number>>>;
  /** The last `days`, including today; also for a removed lane. */
  stats(filter: { days: number; lane?: string | undefined }): Promise<StatsReport>;
  /** Ends this worker in an orderly way; the supervisor starts a new one. */
  restart(): void;
  /** Throws an `AppError` when the next start would refuse its configuration: a restart would be an outage. */
  checkRestart(): void;
};
