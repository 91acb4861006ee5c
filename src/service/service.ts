/**
 * The port that every transport calls. A promise that resolves means that the change is durable; what cannot be done
 * throws an `AppError` whose code is documented in docs/operations.md.
 */
import type { DeliveryEvent } from "../core/delivery/delivery-event.ts";
import type { Outlook } from "../core/delivery/outlook.ts";
import type { DeliveryRecord, Status } from "../core/delivery/record.ts";
import type { DayUsage } from "../core/lane/daily-limit.ts";
import type { Lane, Notice, ReplyContract } from "../core/lane/lane.ts";
import type { LogPage, LogQuery } from "../core/log/log-item.ts";
import type { Page, Paging } from "../core/log/page.ts";
import type { Mail, Source } from "../core/message/message.ts";
import type { UniversalEvent } from "../core/turn/universal-event.ts";
import type { OpenAsk } from "../courier/ask-registry.ts";
import type { ChooseLaneChange } from "../mail/admission.ts";
import type { NewMessage } from "../mail/message-schema.ts";
import type { FollowedItem, FollowOptions } from "./follow-log.ts";

export type { FollowedItem, OpenAsk };

export type SendTo = { lane: string } | { team: string; member: string };
export type Send = Omit<NewMessage, "id" | "to"> & { id?: string | undefined; to: SendTo };

/** A delivery, and the message that it waits for, if there is one. */
export type DeliveryState = { record: DeliveryRecord; queuedBehind: string | null };

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

/** A program that works in lanes, or could. */
export type RuntimeState = {
  kind: string;
  /** Whether it could be started here. Messages to lanes of one that could not wait. */
  ready: boolean;
  /** Whether new lanes use it unless they name another one. */
  isDefault: boolean;
  /** Those that lanes, the configuration and the program itself name. */
  models: readonly string[];
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
};

export type Readiness = { ready: boolean; degraded: boolean; reasons: readonly string[] };

export type Service = {
  /** `known` when the same message was admitted before. The lane changes that `choose` makes are stored with the message. */
  send(message: Send, choose?: ChooseLaneChange): Promise<DeliveryState & { known: boolean }>;
  /** Newest first; with `query`, those that contain all of its words. */
  messages(filter: Paging & { lane?: string | undefined; query?: string | undefined }): Promise<Page<Mail>>;
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

  /** A new lane with this one's history, or with what came before the prompt that event number `before` introduced. */
  fork(laneId: string, before: number | null, as: { id: string; displayName: string | null }): Promise<LaneState>;

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
