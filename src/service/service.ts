/**
 * The port that every transport calls. A promise that resolves means that the change is durable; what cannot be done
 * throws an `AppError` whose code is documented in docs/operations.md.
 */
import type { DeliveryEvent } from "../core/delivery/delivery-event.ts";
import type { Outlook } from "../core/delivery/outlook.ts";
import type { DeliveryRecord, Status } from "../core/delivery/record.ts";
import type { HandOver } from "../core/inbox/hand-over.ts";
import type { DayUsage } from "../core/lane/daily-limit.ts";
import type { Lane, Notice, ReplyContract } from "../core/lane/lane.ts";
import type { LogPage, LogQuery } from "../core/log/log-item.ts";
import type { Page, Paging } from "../core/log/page.ts";
import type { Attachment, Mail, Message, Source } from "../core/message/message.ts";
import type { Exchange } from "../core/team/exchange.ts";
import type { Member, MemberState, Team } from "../core/team/team.ts";
import type { UniversalEvent } from "../core/turn/universal-event.ts";
import type { OpenAsk } from "../courier/ask-registry.ts";
import type { ChooseLaneChange } from "../mail/admission.ts";
import type { NewAttachment, StoredAttachment } from "../mail/attachments/attachment-files.ts";
import type { NewMessage } from "../mail/message-schema.ts";
import type { InboxFilter } from "../store/port.ts";
import type { FollowedItem, FollowOptions } from "./follow-log.ts";

export type { FollowedItem, OpenAsk };

export type Send = Omit<NewMessage, "id"> & { id?: string | undefined };

/** A delivery, and the message that it waits for, if there is one. */
export type DeliveryState = { record: DeliveryRecord; queuedBehind: string | null };

/** A message, and what became of its row in an inbox file, if it has one. */
export type ShownMail = Mail & { handOver?: HandOver | null };

/** There is no delivery to whoever reads a mailbox: a person, or a member that somebody else runs. */
export type SendResult = {
  message: Message;
  delivery: DeliveryState | null;
  known: boolean;
  /** Of a message to a member whose inbox is a file. */
  handOver: HandOver | null;
  /** Why it is not sent for now, in words. */
  waits: string | null;
};

export type DeliveryDetail = DeliveryState & {
  message: Mail | null;
  /** What the agent or Waybill wrote back, oldest first. */
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
  /** Why its head message is not sent at this moment, where the ledger does not say it. */
  waitReason: string | null;
  /** Problems that its runtime reports although it works. */
  notices: readonly Notice[];
  /** What it has used today. */
  usage: DayUsage;
};

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
  /** Of the lane of one that Waybill runs. */
  contract: ReplyContract | null;
};

export type TeamDetail = Omit<Team, "members"> & {
  members: readonly MemberDetail[];
  /** What does not go as it should with its inbox files. */
  notices: readonly Notice[];
};

/** `lanes`: the members that Waybill is to run, and where. All others are run by somebody else. */
export type TeamImport = {
  directory: string;
  name: string | null;
  lanes: Readonly<Record<string, string>>;
  /** Whether the agents of a Claude Code session are to know Waybill, so that they can answer it. */
  join: boolean;
};

/** A member of kind `lane` that names no lane works in the lane of its own name. */
export type MemberSettings = Pick<Member, "name" | "kind" | "lane" | "displayName" | "role" | "color"> & {
  contract: ReplyContract | null;
};

/** A program that works in lanes, or could. */
export type RuntimeState = {
  kind: string;
  /** Whether it could be started here. Messages to lanes of one that could not wait. */
  ready: boolean;
  /** Whether new lanes use it unless they name another one. */
  isDefault: boolean;
  /** Those that lanes, the configuration and the program itself name. */
  models: readonly string[];
  /** Whether a message may bring a `system`. Also where that is not known yet: then its delivery tells. */
  takesSystem: boolean;
};

/** A directory in which lanes may work, with its symlinks resolved. */
export type Workspace = {
  directory: string;
  /** Directories in it that hold Waybill's own state and are never shown. */
  denied: readonly string[];
};

export type AskDecision = {
  decision: "once" | "always" | "reject";
  answers?: readonly (readonly string[])[] | undefined;
  /** Why a permission is rejected. The agent reads it and goes on; without it, a rejection ends the turn. */
  message?: string | undefined;
};

export type Readiness = { ready: boolean; degraded: boolean; reasons: readonly string[] };

export type Service = {
  /** `known` when the same message was admitted before. The lane changes that `choose` makes are stored with the message. */
  send(message: Send, choose?: ChooseLaneChange): Promise<SendResult>;
  /** A message to a lane; null when there is none. */
  message(lane: string, id: string): Promise<Mail | null>;
  /** Newest first; with `query`, those that contain all of its words. */
  messages(filter: Paging & { lane?: string | undefined; query?: string | undefined }): Promise<Page<ShownMail>>;
  /** Withdraws a message that has not been sent. `lane` is needed when several lanes have one of that id. */
  withdraw(messageId: string, lane?: string): Promise<DeliveryState>;

  deliveries(
    filter: Paging & {
      lane?: string | undefined;
      messageId?: string | undefined;
      statuses?: readonly Status[] | undefined;
    },
  ): Promise<Page<DeliveryState>>;
  delivery(id: string): Promise<DeliveryDetail>;
  retry(deliveryId: string): Promise<DeliveryState>;
  cancel(deliveryId: string): Promise<DeliveryState>;

  lanes(): Promise<readonly LaneState[]>;
  lane(id: string): Promise<LaneState>;
  putLane(settings: LaneSettings): Promise<LaneState>;
  renameLane(id: string, displayName: string | null): Promise<LaneState>;
  removeLane(id: string, force: boolean): Promise<void>;
  /**
   * Ends the running turn, or what is about to be sent; its delivery is cancelled and never retried. What waits behind it
   * goes on, but for what came as `alsoWaiting` says.
   */
  abort(laneId: string, alsoWaiting?: Source): Promise<LaneState>;
  pause(laneId: string, reason: string): Promise<LaneState>;
  resume(laneId: string): Promise<LaneState>;
  /** Frees a lane whose last delivery owes something that can neither be read nor written. */
  release(laneId: string): Promise<LaneState>;

  /** Continues the lane in an existing session of its agent program, from the next message on. */
  adoptSession(laneId: string, sessionId: string): Promise<LaneState>;
  /**
   * Continues the lane in a fresh session, from the next message on. With `notSince` nothing happens when it has got one since
   * then, so that the call can be repeated.
   */
  newSession(laneId: string, notSince?: number): Promise<LaneState>;

  /** A new lane with this one's history, or with what came before the prompt that event number `before` introduced. */
  fork(laneId: string, before: number | null, as: { id: string; displayName: string | null }): Promise<LaneState>;

  teams(): Promise<readonly TeamDetail[]>;
  team(name: string): Promise<TeamDetail>;
  putTeam(team: Pick<Team, "name" | "displayName">): Promise<TeamDetail>;
  /** Follows the inbox files of a team in a directory from now on. */
  importTeam(team: TeamImport): Promise<TeamDetail>;
  /** The lanes of its members stay. */
  removeTeam(name: string): Promise<void>;
  putMember(team: string, member: MemberSettings): Promise<TeamDetail>;
  /** Its lane stays, and what waits in it is still delivered. */
  removeMember(team: string, member: string): Promise<TeamDetail>;
  /** Nothing is sent to its members until it is resumed; what runs goes on. */
  pauseTeam(name: string): Promise<TeamDetail>;
  resumeTeam(name: string): Promise<TeamDetail>;
  /** Ends what runs as well, and tells those who wait. */
  stopTeam(name: string): Promise<TeamDetail>;
  /** The approved shutdown of a member: it gets nothing more until it is added again. */
  shutDownMember(team: string, member: string): Promise<TeamDetail>;
  /** For a member that somebody else runs. */
  memberToken(team: string, member: string): Promise<string>;

  /** Keeps a file for messages that name it. Safe to repeat. What no message names is removed after a day. */
  storeAttachment(file: NewAttachment): Promise<Attachment>;
  attachment(id: string): Promise<StoredAttachment>;

  /** Newest first. */
  inbox(person: string, filter: InboxFilter): Promise<Page<Mail>>;
  /** How many were unread. */
  markRead(person: string, ids: readonly string[] | "all"): Promise<number>;

  /** Pairs of lanes whose agents write to each other in circles, and wait for a person. */
  holds(): Promise<readonly Exchange[]>;
  /** Lets a pair go on; how many messages were held. */
  releaseHold(lanes: readonly [string, string]): Promise<number>;

  asks(): Promise<readonly OpenAsk[]>;
  answer(askId: string, decision: AskDecision): Promise<void>;

  /** What happens, with what is not kept. A slow reader delays only itself. */
  follow(options: FollowOptions): AsyncIterable<FollowedItem>;
  /** What happened, oldest first. Throws when Waybill did not make the cursor. */
  log(query: LogQuery): Promise<LogPage>;
  /** The cursor of the newest item. */
  logEnd(): string;
  /** Newest first: those of a lane before the number `seq`, or its newest. */
  eventsBefore(laneId: string, seq: number | null, limit: number): Promise<readonly UniversalEvent[]>;

  /** With a directory also the models that programs list there, where lanes work. */
  runtimes(directory?: string): Promise<readonly RuntimeState[]>;
  /** Without a directory that of the oldest lane, else the first allowed one. */
  workspace(directory?: string): Promise<Workspace>;

  /** To be awaited before an answer leaves: what was read may not have been durable yet. */
  settled(): Promise<void>;

  /** Spends no tokens. */
  readiness(): Promise<Readiness>;
  counts(): Promise<Readonly<Record<Status, number>>>;
  /** Ends this worker in good order; the supervisor starts a new one. */
  restart(): void;
};
