/**
 * What every transport may ask of Waybill, in the verbs of people: the service. The command line and the page reach it
 * through the HTTP API, others stand beside that. A promise that resolves means that what it says is durable.
 *
 * What cannot be done throws an `AppError` whose code is documented in docs/operations.md.
 */

import type { DeliveryEvent } from "../core/delivery/delivery-event.ts";
import type { Outlook } from "../core/delivery/outlook.ts";
import type { DeliveryRecord, Status } from "../core/delivery/record.ts";
import type { DayUsage } from "../core/lane/daily-limit.ts";
import type { Lane, Notice, ReplyContract } from "../core/lane/lane.ts";
import type { EventFilter, EventPage } from "../core/log/event-page.ts";
import type { FeedItem } from "../core/log/feed-item.ts";
import type { Page, Paging } from "../core/log/page.ts";
import type { Mail } from "../core/message/message.ts";
import type { UniversalEvent } from "../core/turn/universal-event.ts";
import type { OpenAsk } from "../courier/ask-registry.ts";
import type { FollowedEvent } from "../events/follow-events.ts";
import type { Choose, NewMessage } from "../mail/admission.ts";

export type { EventPage, FollowedEvent, OpenAsk };

export type SendTo = { lane: string } | { team: string; member: string };
export type Send = Omit<NewMessage, "id" | "to"> & { id?: string | undefined; to: SendTo };

/** A delivery, and the message that has to end before it can be sent, if there is one. */
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
  /** Why its head message is not sent at this moment, as far as that is not in the ledger. */
  waitReason: string | null;
  /** What does not go as it should in it, although its runtime works. */
  notices: readonly Notice[];
  /** What it has used today. */
  usage: DayUsage;
};

/** A runtime or a contract that is left out is the configured one. */
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
  /** Whether it could be started here; what is sent to a lane of one that could not waits. */
  ready: boolean;
  /** Whether new lanes get it that ask for no other. */
  isDefault: boolean;
  /** Those that lanes and the configuration name, and those that the program lists; each as a lane names it. */
  models: readonly string[];
};

/** A directory in which lanes may work, with its symlinks resolved. */
export type Workspace = {
  directory: string;
  /** Places in it, if it has any, that hold Waybill's own state: nothing of them is shown to anybody. */
  denied: readonly string[];
};

export type AskDecision = {
  decision: "once" | "always" | "reject";
  answers?: readonly (readonly string[])[] | undefined;
};

export type Readiness = { ready: boolean; degraded: boolean; reasons: readonly string[] };

export type Service = {
  /** `known` when the same message was admitted before. What is chosen for the lane is taken with it, or not at all. */
  send(message: Send, choose?: Choose): Promise<DeliveryState & { known: boolean }>;
  /** Newest first; with `query`, those in which all of its words were said. */
  messages(filter: Paging & { lane?: string | undefined; query?: string | undefined }): Promise<Page<Mail>>;
  /** Takes a message back that has not been sent. `lane` is needed when several lanes have one of that id. */
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
  /** Ends the running turn; its delivery is cancelled and never retried. */
  abort(laneId: string): Promise<LaneState>;
  pause(laneId: string, reason: string): Promise<LaneState>;
  resume(laneId: string): Promise<LaneState>;
  /** Gives a lane back whose last delivery owes something that nobody can see or write. */
  release(laneId: string): Promise<LaneState>;

  /** Lets the lane go on in a session that its agent program has already, from the next message on. */
  adoptSession(laneId: string, sessionId: string): Promise<LaneState>;

  /**
   * A new lane like this one, whose agent knows what this one's knew before a prompt, or all of it. `before` is the
   * number of the event with which that prompt was first told.
   */
  fork(laneId: string, before: number | null, as: { id: string; displayName: string | null }): Promise<LaneState>;

  asks(): Promise<readonly OpenAsk[]>;
  answer(askId: string, decision: AskDecision): Promise<void>;

  /**
   * What happened after the cursor `after` (without one: from now on), then what happens, until `signal` is aborted.
   * Nothing is left out between the two, and a slow reader only holds up itself.
   */
  follow(options: {
    after?: string | undefined;
    lane?: string | undefined;
    signal: AbortSignal;
  }): AsyncIterable<FeedItem>;
  /** A page of the same: what happened after the cursor `after`, and where to go on. At its end that is where it was. */
  feed(after: string, limit: number): Promise<{ items: readonly FeedItem[]; cursor: string }>;
  /** Throws when this is no cursor that Waybill has handed out. */
  checkCursor(cursor: string): Promise<void>;
  /** The cursor of the newest item. */
  now(): Promise<string>;

  /** What agents did and said, oldest first. */
  events(filter: EventFilter): Promise<EventPage>;
  /** The same as it happens, with deltas: after the cursor `after`, or from now on. */
  followEvents(options: {
    after?: string | undefined;
    lane?: string | undefined;
    signal: AbortSignal;
  }): AsyncIterable<FollowedEvent>;
  /** The cursor of the newest event. */
  eventsEnd(): Promise<string>;
  /** Newest first: those of a lane before the number `seq`, or its newest. Costs what is asked for, however much is kept. */
  eventsBefore(laneId: string, seq: number | null, limit: number): Promise<readonly UniversalEvent[]>;

  /** With a directory also the models that programs list for it, as far as lanes work there. */
  runtimes(directory?: string): Promise<readonly RuntimeState[]>;
  /** Without a directory the one where work is done here: of the oldest lane, else the first that is allowed. */
  workspace(directory?: string): Promise<Workspace>;

  /** Spends no tokens. */
  readiness(): Promise<Readiness>;
  counts(): Promise<Readonly<Record<Status, number>>>;
  /** Ends this worker in good order; the supervisor starts a new one. */
  restart(): void;
};
