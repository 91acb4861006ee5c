/**
 * A lane's events as OpenCode's. Pure: the same events give the same messages, parts and ids, live, in a replay and in a
 * list. The session is busy from the moment a message is admitted until no turn runs and none waits, and is told so once;
 * a turn that ends while another message waits does not make it idle.
 *
 * Some things are held back for a moment, until the next event (`held-back.ts`).
 */
import type { SessionStatus, SnapshotFileDiff, Todo } from "@opencode-ai/sdk/v2/types";
import type { AttemptNote, DeliveryEndNote, DeliveryNote } from "../../../core/turn/delivery-notes.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { userMessageId } from "../ids.ts";
import { AskLog } from "./ask-log.ts";
import { isHeldBack, toldOnce } from "./deferred-events.ts";
import type { Emitted, MessageRow, Place } from "./emitted.ts";
import type { EventOf, ItemEvent } from "./event-of.ts";
import { isNote, ledgerNote } from "./ledger-note.ts";
import { OpenMessages } from "./open-messages.ts";
import { ToldStatus } from "./published-status.ts";
import { retryOf, statusEvent } from "./session-status.ts";
import type { StepError } from "./step.ts";
import type { Thread } from "./thread.ts";
import { Threads } from "./threads.ts";
import { todosOf } from "./todos.ts";
import { errorOfEnd, unknownError } from "./turn-errors.ts";
import { callBegins, callRuns, filesChange, orderOf, wordsCome } from "./work-in-thread.ts";

export type { Emitted, MessageRow, Place };

type Turn = {
  /** The prompt that was admitted as a message, and is shown as that. */
  known: string | null;
  announced: boolean;
  /** A person said no, and the agent has said nothing since. */
  refused: boolean;
  error: StepError | null;
};

/** What there is to say of a session at one moment. */
export type SessionState = {
  sessionID: string;
  status: SessionStatus;
  rows: readonly MessageRow[];
  diff: readonly SnapshotFileDiff[];
  todos: readonly Todo[];
  /** What was last said of each ask of the newest turn: that it is open, or how it was answered. */
  asks: readonly Emitted[];
};

/**
 * `following`: only what may still change is remembered, for those who follow for ever; and of what was copied into the
 * lane nothing is told, since it does not happen now.
 */
export type ProjectionOptions = { following?: boolean };

export class SessionProjection {
  readonly place: Place;
  readonly #following: boolean;
  readonly #threads: Threads;
  readonly #main: Thread;
  readonly #status: ToldStatus;
  readonly #open: OpenMessages;
  readonly #asks = new AskLog();
  #turn: Turn | null = null;
  #held: UniversalEvent[] = [];
  #todos: Todo[] = [];
  /** Nothing goes on in what was copied, also while not all of it is known. */
  #copies = false;

  constructor(place: Place, { following = false }: ProjectionOptions = {}) {
    this.place = place;
    this.#following = following;
    this.#threads = new Threads(place);
    this.#main = this.#threads.main;
    this.#status = new ToldStatus(this.#main.sessionID);
    this.#open = new OpenMessages(place.lane);
  }

  get isBusy(): boolean {
    return this.#status.isBusy;
  }

  /** Whole, for those who heard nothing of it: the newest turn and what waits, if it follows, else everything. */
  get sessions(): SessionState[] {
    return [this.#main, ...this.#threads.below].map((thread) => ({
      sessionID: thread.sessionID,
      status: this.#statusOf(thread),
      rows: thread.rows,
      diff: thread.diffs,
      todos: thread === this.#main ? this.#todos : [],
      asks: this.#asks.of(thread.sessionID),
    }));
  }

  #statusOf(thread: Thread): SessionStatus {
    if (this.#copies) return { type: "idle" };
    return thread === this.#main ? this.#status.now : thread.status;
  }

  get todos(): readonly Todo[] {
    return this.#todos;
  }

  /** The sessions below. */
  get children(): readonly string[] {
    return this.#threads.below.map(({ sessionID }) => sessionID);
  }

  /** In their order; of the lane's own session, or of one below. */
  messages(sessionID: string = this.#main.sessionID): readonly MessageRow[] {
    if (sessionID === this.#main.sessionID) return this.#main.rows;
    return this.#threads.below.find((child) => child.sessionID === sessionID)?.rows ?? [];
  }

  take(event: UniversalEvent): Emitted[] {
    const emitted = this.#take(event);
    this.#copies = this.#following && event.copied === true;
    return this.#copies ? [] : emitted;
  }

  #take(event: UniversalEvent): Emitted[] {
    if (isNote(event)) return this.#note(event);
    if (isHeldBack(event, this.place.providerID, this.#held.length > 0)) {
      this.#held.push(event);
      return [];
    }
    if (event.type === "turn.ended") return this.#turnEnded(event);
    const held = this.#release(null);
    return toldOnce([...held, ...this.#status.worksAgain(event), ...this.#apply(event, null)]);
  }

  #release(error: StepError | null): Emitted[] {
    const held = this.#held;
    this.#held = [];
    return held.flatMap((one) => this.#apply(one, error));
  }

  #apply(event: UniversalEvent, error: StepError | null): Emitted[] {
    const thread = this.#threads.of(event);
    switch (event.type) {
      case "turn.started":
        return this.#turnStarted(event);
      case "item.started":
      case "item.completed":
        return [...this.#announced(event), ...this.#threads.linked(event, thread), ...this.#item(event, thread, error)];
      case "item.delta":
        return wordsCome(event, thread);
      case "permission.requested":
      case "question.requested":
        return this.#asks.asked(event, thread);
      case "permission.resolved":
      case "question.resolved":
        if (event.data.outcome === "reject" && this.#turn) this.#turn.refused = true;
        return this.#asks.resolved(event, thread);
      case "usage":
        if (event.data.of === "message") {
          const { item, tokens, cost, model } = event.data;
          thread.step(item)?.used(tokens, cost, model);
        }
        return [];
      case "error":
        return this.#error(event, thread);
      default:
        return [];
    }
  }

  #note(event: ItemEvent): Emitted[] {
    const noted = ledgerNote(event);
    switch (noted?.is) {
      case undefined:
        return [];
      case "admitted":
        return this.#admitted(noted.note);
      case "sent":
        return this.#sent(noted.note);
      case "ended":
        return this.#ended(noted.note);
      default:
        return noted satisfies never;
    }
  }

  #admitted(note: DeliveryNote): Emitted[] {
    const { text, createdAt } = note;
    const shown = this.#main.userMessage(this.#open.admitted(note), createdAt, [{ type: "text", id: "text", text }]);
    return [...shown, ...this.#nowBusy()];
  }

  #sent(attempt: AttemptNote): Emitted[] {
    this.#open.sent(attempt, this.#turn !== null);
    return this.#nowBusy();
  }

  #ended(note: DeliveryEndNote): Emitted[] {
    const { status, reason } = note;
    const words = `The message was ${status === "cancelled" ? "cancelled" : "not delivered"} (${reason ?? status}).`;
    return [...(this.#open.ended(note) ? [this.#sessionError(unknownError(words))] : []), ...this.#nowIdle()];
  }

  #turnStarted({ data: { prompt }, time, seq, turn: number }: EventOf<"turn.started">): Emitted[] {
    const answered = this.#open.turnBegins(prompt);
    if (this.#following) this.#forget();
    // A further prompt for the same message is shown as it was sent.
    const isKnown = answered?.isFirst === true;
    this.#turn = { known: isKnown ? prompt : null, announced: false, refused: false, error: null };
    if (isKnown) this.#main.answers(answered.messageID);
    return isKnown || prompt === null ? this.#announce(time, seq, number) : [];
  }

  #announce(time: number, seq: number, turn: number | null): Emitted[] {
    if (!this.#turn || this.#turn.announced) return [];
    this.#turn.announced = true;
    return [...this.#nowBusy(), ...this.#main.announce(time, orderOf(seq), `turn ${turn} ${seq}`)];
  }

  /** The agent's message is announced before anything is in it, and after the prompt that it answers. */
  #announced(event: ItemEvent): Emitted[] {
    const { item } = event.data;
    if (item.role === "user" || item.kind === "status" || event.nativeSession !== undefined) return [];
    return this.#announce(event.time, event.seq, event.turn);
  }

  #turnEnded(event: EventOf<"turn.ended">): Emitted[] {
    const { time, seq, turn: number, data } = event;
    const turn = this.#turn;
    const error = turn ? errorOfEnd(data, turn.refused, turn.error) : null;
    const told = error !== null && turn?.error === null ? [this.#sessionError(error)] : [];
    const failed = this.#held.some(({ type, data }) => type === "item.completed" && data.item.role === "assistant");
    const closed = this.#release(error);
    const announced = this.#main.takeAnnounced();
    const isSilent = announced === null && error !== null && !failed;
    const silent = isSilent ? this.#main.nextStep(time, orderOf(seq), `end ${number} ${seq}`) : null;
    const last = (announced ?? silent)?.complete(null, time, error) ?? [];
    this.#turn = null;
    this.#open.turnEnds(data.queued);
    return [...told, ...closed, ...last, ...this.#threads.rest(), ...this.#nowIdle()];
  }

  #item(event: ItemEvent, thread: Thread, error: StepError | null): Emitted[] {
    const { item } = event.data;
    const starts = event.type === "item.started";
    switch (item.kind) {
      case "message":
        if (item.role === "user") return starts ? [] : this.#prompt(event, thread);
        return this.#message(event, thread, error);
      case "tool_call":
        return starts ? callBegins(event, thread) : callRuns(event, thread);
      case "tool_result":
        return starts ? [] : this.#result(event, thread);
      case "file_change":
        return starts ? [] : filesChange(event, thread);
      case "plan":
        return starts ? [] : this.#plan(event, thread);
      case "status":
        return starts ? [] : this.#retries(event, thread);
      default:
        return item.kind satisfies never;
    }
  }

  /** One that was typed into the program itself, or that Waybill sent beyond the message. */
  #prompt({ data: { item }, time, seq, turn }: ItemEvent, thread: Thread): Emitted[] {
    const isShown = this.#turn?.known === item.id || this.#open.isMessage(item.id);
    if (thread === this.#main && isShown) return [];
    const id = userMessageId(this.place.lane, { id: item.id, createdAt: time });
    const shown = thread.userMessage(id, time, item.parts);
    if (thread !== this.#main || this.#turn?.announced !== false) return shown;
    thread.answers(id);
    return [...shown, ...this.#announce(time, seq, turn)];
  }

  #message(event: ItemEvent, thread: Thread, error: StepError | null): Emitted[] {
    const { item } = event.data;
    const begun = thread.begin(item.id, event.time, orderOf(event.seq));
    if (event.type === "item.started") {
      if (this.#turn && thread === this.#main) this.#turn.refused = false;
      return begun;
    }
    const failure =
      item.status === "failed" ? (error ?? this.#turn?.error ?? unknownError("The message failed.")) : null;
    const wasRefused = this.#turn?.refused === true && error === null;
    return [...begun, ...(thread.step(item.id)?.complete(item, event.time, wasRefused ? null : failure) ?? [])];
  }

  #result({ data: { item }, time }: ItemEvent, thread: Thread): Emitted[] {
    const [part] = item.parts;
    if (part?.type !== "tool_result") return [];
    if (part.rejected && this.#turn && thread === this.#main) this.#turn.refused = true;
    const below = this.#threads.rest(part.call);
    return [...below, ...(thread.stepOfCall(part.call)?.hasRun(part.call, part, time) ?? [])];
  }

  #plan({ data: { item } }: ItemEvent, { sessionID }: Thread): Emitted[] {
    const [part] = item.parts;
    const todos = todosOf(part?.type === "json" ? part.value : null);
    if (sessionID === this.#main.sessionID) this.#todos = todos;
    return [{ type: "todo.updated", properties: { sessionID, todos } }];
  }

  #retries({ data: { item }, time }: ItemEvent, { sessionID }: Thread): Emitted[] {
    const retry = this.#turn && retryOf(item, time);
    if (!retry) return [];
    return sessionID === this.#main.sessionID ? this.#status.retries(retry) : [statusEvent(sessionID, retry)];
  }

  #error({ data: { message } }: EventOf<"error">, thread: Thread): Emitted[] {
    const error = unknownError(message);
    if (this.#turn && thread === this.#main) this.#turn.error = error;
    return [{ type: "session.error", properties: { sessionID: thread.sessionID, error } }];
  }

  #sessionError(error: StepError): Emitted {
    return { type: "session.error", properties: { sessionID: this.#main.sessionID, error } };
  }

  #forget(): void {
    this.#threads.forget(this.#open.ids);
    this.#asks.forgetClosed();
  }

  get #hasWork(): boolean {
    return this.#turn !== null || this.#open.hasNext;
  }

  #nowBusy(): Emitted[] {
    return this.#hasWork ? this.#status.busy() : [];
  }

  #nowIdle(): Emitted[] {
    return this.#hasWork ? [] : this.#status.idle();
  }
}
