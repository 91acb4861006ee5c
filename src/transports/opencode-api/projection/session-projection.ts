/**
 * Projects a lane's events to OpenCode's. Pure: the same events give the same messages, parts and ids, live, in a
 * replay and in a list. The session is busy from the admission of a message until no turn runs and no message is open;
 * a message that waits or will be retried keeps it busy. An error is published only when its message has failed.
 */
import type { SessionStatus, SnapshotFileDiff, Todo } from "@opencode-ai/sdk/v2/types";
import { superseded } from "../../../core/delivery/reasons.ts";
import type { DeliveryEndNote, DeliveryNote, RetryNote } from "../../../core/turn/delivery-notes.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { laterPromptId, userMessageId } from "../ids.ts";
import { AskLog } from "./asks.ts";
import { dedupeToolUpdates, isDeferred, passesDeferred } from "./assistant-step.ts";
import type { AnsweredMessage } from "./ledger-notes.ts";
import { isLedgerEvent, ledgerNote, OpenMessages } from "./ledger-notes.ts";
import type { SessionMessages } from "./session-messages.ts";
import { LaneSessions, orderOf } from "./session-messages.ts";
import type {
  ItemEvent,
  NativeEvent,
  SessionMessage,
  SessionSettings,
  StepError,
  UniversalEventOf,
} from "./session-view.ts";
import {
  abortedError,
  errorFrom,
  errorOfEnd,
  mayBeMended,
  PublishedStatus,
  retryOf,
  statusEvent,
  unknownError,
} from "./session-view.ts";
import { todosOf } from "./tool-shapes.ts";

type Turn = {
  prompt: string | null;
  /** The message of the prompt; null for a prompt that was typed into the program. */
  answered: AnsweredMessage | null;
  announced: boolean;
  /** A person rejected a call, and no message of the agent has begun since. */
  refused: boolean;
  /** An ask of this turn can no longer be answered. */
  expired: boolean;
  error: StepError | null;
};

export type SessionSnapshot = {
  sessionID: string;
  status: SessionStatus;
  messages: readonly SessionMessage[];
  diff: readonly SnapshotFileDiff[];
  todos: readonly Todo[];
  /** The last event of each ask in the newest turn. */
  asks: readonly NativeEvent[];
};

/** If `following` live, it remembers only what may still change, and publishes nothing of a copied history. */
type ProjectionOptions = { following?: boolean };

export class SessionProjection {
  readonly #settings: SessionSettings;
  readonly #following: boolean;
  readonly #sessions: LaneSessions;
  readonly #main: SessionMessages;
  readonly #status: PublishedStatus;
  readonly #open: OpenMessages;
  readonly #asks = new AskLog();
  #turn: Turn | null = null;
  /** The message that will be retried. */
  #retrying: string | null = null;
  #deferred: UniversalEvent[] = [];
  #todos: Todo[] = [];
  /** A copied history is never busy, even while only part of it is known. */
  #isCopy = false;

  constructor(settings: SessionSettings, { following = false }: ProjectionOptions = {}) {
    this.#settings = settings;
    this.#following = following;
    this.#sessions = new LaneSessions(settings);
    this.#main = this.#sessions.main;
    this.#status = new PublishedStatus(this.#main.sessionID);
    this.#open = new OpenMessages(settings.lane);
  }

  get isBusy(): boolean {
    return this.#status.isBusy;
  }

  /** With `following`: the newest turn and waiting messages. Otherwise everything. */
  get sessions(): SessionSnapshot[] {
    return [this.#main, ...this.#sessions.children].map((session) => ({
      sessionID: session.sessionID,
      status: this.#statusOf(session),
      messages: session.messages,
      diff: session.diffs,
      todos: session === this.#main ? this.#todos : [],
      asks: this.#asks.of(session.sessionID),
    }));
  }

  #statusOf(session: SessionMessages): SessionStatus {
    if (this.#isCopy) return { type: "idle" };
    return session === this.#main ? this.#status.now : session.status;
  }

  /** Their ids. */
  get children(): readonly string[] {
    return this.#sessions.children.map(({ sessionID }) => sessionID);
  }

  /** In order; of the lane's own session, or of a child. */
  messages(sessionID: string = this.#main.sessionID): readonly SessionMessage[] {
    return [this.#main, ...this.#sessions.children].find((one) => one.sessionID === sessionID)?.messages ?? [];
  }

  take(event: UniversalEvent): NativeEvent[] {
    const events = this.#take(event);
    this.#isCopy = this.#following && event.copied === true;
    return this.#isCopy ? [] : events;
  }

  #take(event: UniversalEvent): NativeEvent[] {
    if (isLedgerEvent(event)) return this.#takeNote(event);
    if (isDeferred(event, this.#settings.providerID, this.#deferred.length > 0)) {
      this.#deferred.push(event);
      return [];
    }
    if (event.type === "turn.ended") return this.#turnEnded(event);
    if (passesDeferred(event)) return this.#apply(event, null);
    const deferred = this.#takeDeferred(null);
    return dedupeToolUpdates([...deferred, ...this.#status.endRetry(event), ...this.#apply(event, null)]);
  }

  #takeDeferred(error: StepError | null): NativeEvent[] {
    return this.#deferred.splice(0).flatMap((event) => this.#apply(event, error));
  }

  #apply(event: UniversalEvent, error: StepError | null): NativeEvent[] {
    const session = this.#sessions.of(event);
    switch (event.type) {
      case "turn.started":
        return this.#turnStarted(event);
      case "item.started":
      case "item.completed":
        return [
          ...this.#announced(event),
          ...this.#sessions.link(event, session),
          ...this.#item(event, session, error),
        ];
      case "item.delta":
        return session.addDelta(event);
      case "permission.requested":
      case "question.requested":
        return this.#asks.add(event, session);
      case "permission.resolved":
      case "question.resolved":
        if (event.data.outcome === "reject" && this.#turn) this.#turn.refused = true;
        if (event.data.outcome === "expired" && this.#turn) this.#turn.expired = true;
        return this.#asks.resolve(event, session);
      case "usage":
        if (event.data.of === "message") {
          const { item, tokens, cost, model } = event.data;
          session.step(item)?.setUsage(tokens, cost, model);
        }
        return [];
      case "error":
        return this.#error(event, session);
      default:
        return [];
    }
  }

  #takeNote(event: ItemEvent): NativeEvent[] {
    const noted = ledgerNote(event);
    switch (noted?.type) {
      case undefined:
      case "sending":
      case "retry_scheduling":
        return [];
      case "admitted":
        return this.#admitted(noted.note);
      case "sent":
        this.#open.addAttempt(noted.note, this.#turn !== null);
        this.#retrying = null;
        return this.#hasWork ? this.#status.work() : [];
      case "retry_scheduled":
        return this.#retryScheduled(noted.note);
      case "ended":
        return this.#ended(noted.note, event);
      default:
        return noted satisfies never;
    }
  }

  #admitted(note: DeliveryNote): NativeEvent[] {
    const { text, createdAt } = note;
    const shown = this.#main.addUserMessage(this.#open.admit(note), createdAt, [{ type: "text", id: "text", text }]);
    return [...shown, ...this.#publishBusy()];
  }

  #retryScheduled({ message, attempt, reason, next }: RetryNote): NativeEvent[] {
    const text = errorText(this.#open.errorOf(message)) ?? `The message is being retried (${reason ?? "no answer"}).`;
    this.#retrying = message;
    return this.#status.change({ type: "retry", attempt, message: text, next });
  }

  #ended(note: DeliveryEndNote, moment: ItemEvent): NativeEvent[] {
    const ended = this.#open.end(note);
    const { status, reason } = note;
    if (ended === null || status === "responded") return this.#afterEnd(note);
    if (reason === superseded) return [toast(notAskedAgain), ...this.#afterEnd(note)];
    const { messageID, hadTurn, error } = ended;
    // The last turn has already shown how it ended.
    if (hadTurn && error === null) return this.#afterEnd(note);
    const isStopped = status === "cancelled";
    const undelivered = unknownError(`The message was not delivered (${reason ?? status}).`);
    const why = isStopped ? abortedError : (error ?? undelivered);
    const answer = isStopped && !hadTurn ? this.#main.addFailed(messageID, moment, why) : [];
    return [errorEvent(this.#main, why), ...answer, ...this.#afterEnd(note)];
  }

  /** Ends the retry status of a dropped retry, even if other messages are open. */
  #afterEnd({ message }: DeliveryEndNote): NativeEvent[] {
    if (!this.#hasWork) return this.#status.idle();
    return this.#retrying === message ? this.#status.work() : [];
  }

  #turnStarted({ data: { prompt }, time, seq, turn: number }: UniversalEventOf<"turn.started">): NativeEvent[] {
    const answered = this.#open.beginTurn(prompt);
    if (this.#following) {
      this.#sessions.forget(this.#open.ids);
      this.#asks.forgetClosed();
    }
    this.#turn = { prompt, answered, announced: false, refused: false, expired: false, error: null };
    // A later prompt for the same message is shown as a separate message.
    const isShown = answered?.isFirst === true;
    if (isShown) this.#main.setPrompt(answered.messageID);
    return isShown || prompt === null ? this.#announce(time, seq, number) : [];
  }

  #announce(time: number, seq: number, turn: number | null): NativeEvent[] {
    if (!this.#turn || this.#turn.announced) return [];
    this.#turn.announced = true;
    return [...this.#publishBusy(), ...this.#main.announce(time, orderOf(seq), `turn ${turn} ${seq}`)];
  }

  /** The agent's message is announced after the prompt that it answers, before it has any content. */
  #announced(event: ItemEvent): NativeEvent[] {
    const { item } = event.data;
    if (item.role === "user" || item.kind === "status" || event.nativeSession !== undefined) return [];
    return this.#announce(event.time, event.seq, event.turn);
  }

  #turnEnded(event: UniversalEventOf<"turn.ended">): NativeEvent[] {
    const { time, seq, turn: number, data } = event;
    const turn = this.#turn;
    const error = turn ? errorOfEnd(data, turn.refused, turn.error) : null;
    // If the message may be retried, its error is published only when the message has failed.
    const held = error !== null && mayBeMended(error) ? error : null;
    const isHeld = this.#open.endTurn(data.queued, held) && held !== null;
    const published = error === null || isHeld ? [] : [errorEvent(this.#main, error)];
    const failed = this.#deferred.some(({ type, data }) => type === "item.completed" && data.item.role === "assistant");
    const closed = this.#takeDeferred(error);
    const announced = this.#main.takeAnnounced();
    const isSilent = announced === null && error !== null && !failed;
    const silent = isSilent ? this.#main.nextStep(time, orderOf(seq), `end ${number} ${seq}`) : null;
    const last = (announced ?? silent)?.complete(null, time, error) ?? [];
    this.#turn = null;
    const toasts = turn?.expired && data.reason === "interrupted" ? [toast(askExpired)] : [];
    return [...toasts, ...published, ...closed, ...last, ...this.#sessions.endWork(), ...this.#publishIdle()];
  }

  #item(event: ItemEvent, session: SessionMessages, error: StepError | null): NativeEvent[] {
    const { item } = event.data;
    const starts = event.type === "item.started";
    switch (item.kind) {
      case "message":
        if (item.role === "user") return starts ? [] : this.#prompt(event, session);
        return this.#message(event, session, error);
      case "tool_call":
        return starts ? session.startCall(event) : session.runCall(event);
      case "tool_result":
        return starts ? [] : this.#result(event, session);
      case "file_change":
        return starts ? [] : session.addFileChanges(event);
      case "plan":
        return starts ? [] : this.#plan(event, session);
      case "status":
        return starts ? [] : this.#retries(event, session);
      default:
        return item.kind satisfies never;
    }
  }

  /** A prompt that was typed into the program itself, or a later prompt that Waybill sent for a message. */
  #prompt({ data: { item }, time, seq, turn }: ItemEvent, session: SessionMessages): NativeEvent[] {
    const answered = this.#turn?.prompt === item.id ? this.#turn.answered : this.#open.ofPrompt(item.id);
    if (session === this.#main && answered?.isFirst) return [];
    const { lane } = this.#settings;
    const id = answered
      ? laterPromptId(lane, { id: item.id, at: time })
      : userMessageId(lane, { id: item.id, createdAt: time });
    const shown = session.addUserMessage(id, time, item.parts, answered?.messageID);
    if (session !== this.#main || this.#turn?.announced !== false) return shown;
    session.setPrompt(id);
    return [...shown, ...this.#announce(time, seq, turn)];
  }

  #message(event: ItemEvent, session: SessionMessages, error: StepError | null): NativeEvent[] {
    const { item } = event.data;
    const begun = session.begin(item.id, event);
    if (event.type === "item.started") {
      if (this.#turn && session === this.#main) this.#turn.refused = false;
      return begun;
    }
    const failure =
      item.status === "failed" ? (error ?? this.#turn?.error ?? unknownError("The message failed.")) : null;
    const wasRefused = this.#turn?.refused === true && error === null;
    return [...begun, ...(session.step(item.id)?.complete(item, event.time, wasRefused ? null : failure) ?? [])];
  }

  #result({ data: { item }, time }: ItemEvent, session: SessionMessages): NativeEvent[] {
    const [part] = item.parts;
    if (part?.type !== "tool_result") return [];
    if (part.rejected && this.#turn && session === this.#main) this.#turn.refused = true;
    const rested = this.#sessions.endWork(part.call);
    return [...rested, ...(session.stepOfCall(part.call)?.completeCall(part.call, part, time) ?? [])];
  }

  #plan({ data: { item } }: ItemEvent, { sessionID }: SessionMessages): NativeEvent[] {
    const [part] = item.parts;
    const todos = todosOf(part?.type === "json" ? part.value : null);
    if (sessionID === this.#main.sessionID) this.#todos = todos;
    return [{ type: "todo.updated", properties: { sessionID, todos } }];
  }

  #retries({ data: { item }, time }: ItemEvent, { sessionID }: SessionMessages): NativeEvent[] {
    const retry = this.#turn && retryOf(item, time);
    if (!retry) return [];
    return sessionID === this.#main.sessionID ? this.#status.change(retry) : [statusEvent(sessionID, retry)];
  }

  #error({ data: { message, status } }: UniversalEventOf<"error">, session: SessionMessages): NativeEvent[] {
    const error = errorFrom(message, status);
    if (!this.#turn || session !== this.#main) return [errorEvent(session, error)];
    // The agent may recover from it. The end of the turn decides.
    this.#turn.error = error;
    return [];
  }

  get #hasWork(): boolean {
    return this.#turn !== null || this.#open.hasOpen;
  }

  #publishBusy(): NativeEvent[] {
    return this.#hasWork ? this.#status.busy() : [];
  }

  #publishIdle(): NativeEvent[] {
    return this.#hasWork ? [] : this.#status.idle();
  }
}

const notAskedAgain = {
  title: "Not retried",
  message: "The previous message is not retried: you sent another one while it waited for its retry.",
};
const askExpired = {
  title: "Expired",
  message: "The agent's question or permission request has expired: its program ended.",
};

function toast(said: { title: string; message: string }): NativeEvent {
  return { type: "tui.toast.show", properties: { ...said, variant: "info", duration: 8000 } };
}

function errorText(error: StepError | null): string | null {
  const data = error?.data as { message?: unknown } | undefined;
  return typeof data?.message === "string" ? data.message : null;
}

function errorEvent({ sessionID }: SessionMessages, error: StepError): NativeEvent {
  return { type: "session.error", properties: { sessionID, error } };
}
