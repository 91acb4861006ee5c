/**
 * Turns the signals of one lane's runtime into universal events. All runtimes feed this one reducer, so a turn begins
 * and ends by the same rules for every program: `turn.ended` comes once for each `turn.started`, an ask does not end
 * a turn, and late or repeated signals have no effect. No clock, no randomness, no I/O.
 */

import type { LiveTurn } from "./bounded-event.ts";
import type { Item } from "./item.ts";
import { ItemTracker, KnownIds } from "./item-tracker.ts";
import type { MessageError, Signal, SignalBody } from "./signal.ts";
import type { Draft, EventBody, TurnEndReason, UniversalEvent } from "./universal-event.ts";

type Turn = {
  prompt: string | null;
  /** Null if its start is no longer kept. */
  startedAt: number | null;
  /** Whether the program has shown that it works on it: a rest before that belongs to an earlier turn. */
  active: boolean;
  /** Somebody asked to stop it. */
  stopped: boolean;
  /** A message of the agent has ended without an error. */
  answered: boolean;
  /** A person refused, and the agent has said nothing since. */
  refused: boolean;
  /** The error of the agent's newest message, or of the program. */
  failure: MessageError | null;
  /** Errors already published, since programs report one in several places. */
  errors: Set<string>;
};

/** Only the newest turns are signalled again. */
const maxStopped = 100;

type BodyOf<T extends SignalBody["type"]> = Extract<SignalBody, { type: T }>;

export class TurnTracker {
  readonly #items = new ItemTracker();
  readonly #asks = new Map<string, "permission" | "question">();
  /**
   * Prompts whose turns somebody stopped. After a restart a program signals its newest turns again. A message that
   * was stopped while empty and a prompt that was never published are not known as items: they must not begin a
   * second turn.
   */
  readonly #stopped = new KnownIds(maxStopped);
  /** Prompts that came while a turn ran, oldest first. */
  #waiting: string[] = [];
  #turns = 0;
  #open: Turn | null = null;
  #busy = false;
  #drafts: Draft[] = [];
  /** The lane's current session. Signals of a replaced session are ignored. */
  #session: string | null = null;

  get inTurn(): boolean {
    return this.#open !== null;
  }

  /** The number of the running turn. */
  get turn(): number | null {
    return this.#open ? this.#turns : null;
  }

  /** The open items and their turn; a copy. */
  get live(): LiveTurn {
    return { turn: this.turn, startedAt: this.#open?.startedAt ?? null, items: this.#items.openItems(), cut: [] };
  }

  take(signal: Signal): Draft[] {
    this.#drafts = [];
    if (this.#isCurrent(signal)) this.#take(signal);
    return this.#drafts;
  }

  /** Restores state from the events published before a restart, in order. */
  restore(event: UniversalEvent): void {
    this.#session = event.session;
    this.#items.restore(event);
    if (event.type === "turn.started") this.#open = newTurn(event.data.prompt, event.time, false);
    else if (event.type === "turn.ended") {
      if (event.data.reason === "aborted" && !event.synthetic && this.#open?.prompt) {
        this.#stopped.add(this.#open.prompt);
      }
      this.#open = null;
    }
    // The start of a very long turn is no longer kept, but the turn is still open.
    else if (event.turn !== null) this.#open ??= newTurn(null, null, true);
    if (event.type === "permission.requested") this.#asks.set(event.data.ask, "permission");
    else if (event.type === "question.requested") this.#asks.set(event.data.ask, "question");
    else if (event.type === "permission.resolved" || event.type === "question.resolved")
      this.#asks.delete(event.data.ask);
    if (this.#open) restoreTurn(this.#open, event);
    if (event.turn !== null) this.#turns = event.turn;
  }

  /** A lane has one session at a time. A start or a prompt in another session ends the turn in the old one. */
  #isCurrent(signal: Signal): boolean {
    const { session, type } = signal;
    if (session === this.#session) return true;
    // A replaced session may be signalled again, after a gap.
    const isNew = signal.type === "prompt" && !this.#items.knows(signal.message);
    const begins = type === "session_started" || isNew;
    if (this.#open && !begins) return false;
    this.#end({ ...signal, session: this.#session ?? session, synthetic: true }, "interrupted", 0);
    this.#session = session;
    this.#busy = false;
    return true;
  }

  #take(signal: Signal): void {
    switch (signal.type) {
      case "session_started":
        return this.#emit(signal, { type: "session.started", data: { resumed: signal.resumed } });
      case "session_ended":
        this.#busy = false;
        this.#end(signal, this.#cutOffReason, 0);
        return this.#emit(signal, { type: "session.ended", data: { reason: signal.reason } });
      case "busy":
        this.#busy = true;
        if (this.#open) this.#open.active = true;
        return;
      case "prompt":
        return this.#prompt(signal);
      case "rest":
        return this.#rest(signal);
      case "never_begun":
        if (this.#open?.active === false && signal.prompts.includes(this.#open.prompt ?? "")) {
          this.#end(signal, "aborted", 0);
        }
        return;
      case "died":
        this.#busy = false;
        return this.#end(signal, this.#cutOffReason, 0);
      case "stopped":
        if (this.#open) this.#open.stopped = true;
        return;
      case "permission":
      case "question":
        return this.#ask(signal);
      case "permission_over":
      case "question_over":
        return this.#answered(signal);
      case "error":
        return this.#error(signal);
      case "turn_usage": {
        const { tokens, cost, model } = signal;
        return this.#emit(signal, { type: "usage", data: { of: "turn", item: null, tokens, cost, model } });
      }
      case "unparsed":
        return this.#emit(signal, { type: "unparsed", data: { reason: signal.reason } }, { raw: signal.raw });
      case "plan":
        return this.#emitAll(signal, this.#items.plan(signal));
      case "status":
        return this.#emitAll(signal, this.#items.status(signal));
      default:
        return this.#work(signal);
    }
  }

  /**
   * An agent's work always belongs to a turn, even if its prompt was not seen. Signals about a completed message are
   * ignored.
   */
  #work(signal: Signal & BodyOf<"message" | "part" | "delta" | "tool" | "tool_input_delta" | "file" | "message_done">) {
    if (signal.type === "tool_input_delta") return this.#emitAll(signal, this.#items.inputDelta(signal));
    if (this.#items.isOver(signal.message)) return;
    const prompt = signal.type === "message" ? signal.prompt : null;
    if (!this.#open && this.#stopped.has(prompt ?? "")) return this.#items.ignore(signal.message);
    const turn = this.#open ?? this.#begin(signal, prompt, true);
    turn.active = true;
    const isNew = !this.#items.knows(signal.message);
    if (isNew && signal.nativeSession === undefined) turn.refused = false;
    switch (signal.type) {
      case "message":
        return this.#emitAll(signal, this.#items.message(signal));
      case "part":
      case "delta":
        return this.#emitAll(signal, this.#items.words(signal));
      case "tool":
        if (signal.state.status === "error" && signal.state.rejected) turn.refused = true;
        return this.#emitAll(signal, this.#items.tool(signal, turn.stopped));
      case "file":
        return this.#emitAll(signal, this.#items.file(signal));
      case "message_done":
        if (signal.nativeSession === undefined) {
          turn.failure = signal.error;
          turn.answered ||= signal.error === null;
        }
        if (signal.error?.kind === "failed") this.#emitError(signal, turn, { ...signal.error, item: signal.message });
        return this.#emitAll(signal, this.#items.done(signal));
      default:
        signal satisfies never;
    }
  }

  #prompt(signal: Signal & BodyOf<"prompt">): void {
    if (this.#items.knows(signal.message)) return;
    if (!this.#open && this.#stopped.has(signal.message)) return this.#items.ignore(signal.message);
    if (!this.#open) this.#begin(signal, signal.message, false);
    else if (signal.nativeSession === undefined) this.#waiting.push(signal.message);
    this.#emitAll(signal, this.#items.prompt(signal));
  }

  #rest(signal: Signal & BodyOf<"rest">): void {
    this.#busy = false;
    const turn = this.#open;
    if (!turn?.active) return;
    const queued = signal.queued ?? 0;
    this.#end(signal, signal.reason ?? this.#reason(turn), queued);
    if (queued === 0) return;
    this.#begin(signal, this.#waiting.shift() ?? null, false).active = true;
  }

  #reason({ stopped, answered, failure, refused }: Turn): TurnEndReason {
    if (failure?.kind === "aborted" || (stopped && !answered)) return "aborted";
    if (this.#items.hasOpen) return stopped ? "aborted" : "interrupted";
    if (failure) return "error";
    return refused ? "aborted" : "completed";
  }

  /** A program that does not stop when asked to is killed. */
  get #cutOffReason(): TurnEndReason {
    return this.#open?.stopped ? "aborted" : "interrupted";
  }

  #begin(signal: Signal, prompt: string | null, synthetic: boolean): Turn {
    const turn = newTurn(prompt, signal.at, this.#busy);
    this.#open = turn;
    this.#turns += 1;
    this.#emit(signal, { type: "turn.started", data: { prompt } }, { synthetic });
    return turn;
  }

  /** Everything open in a turn ends with it. */
  #end(signal: Signal, reason: TurnEndReason, queued: number): void {
    const turn = this.#open;
    if (!turn) return;
    for (const [ask, kind] of this.#asks) this.#emit(signal, expired(ask, kind), { synthetic: true });
    this.#asks.clear();
    this.#emitAll(signal, this.#items.closeAll(), true);
    if (reason === "aborted" && !signal.synthetic && turn.prompt !== null) this.#stopped.add(turn.prompt);
    const error = reason === "error" ? (turn.failure?.message ?? null) : null;
    this.#emit(signal, { type: "turn.ended", data: { reason, error, queued } });
    this.#open = null;
    if (queued === 0) this.#waiting = [];
  }

  #ask(signal: Signal & BodyOf<"permission" | "question">): void {
    if (this.#asks.has(signal.ask)) return;
    const turn = this.#open ?? this.#begin(signal, null, true);
    turn.active = true;
    this.#asks.set(signal.ask, signal.type);
    const { ask, call } = signal;
    if (signal.type === "question") {
      return this.#emit(signal, { type: "question.requested", data: { ask, call, questions: [...signal.questions] } });
    }
    const { title, detail } = signal;
    this.#emit(signal, { type: "permission.requested", data: { ask, call, title, detail } });
  }

  #answered(signal: Signal & BodyOf<"permission_over" | "question_over">): void {
    const { ask } = signal;
    const kind = this.#asks.get(ask);
    if (!kind) return;
    this.#asks.delete(ask);
    // Programs refuse open asks when somebody stops them; no person refused.
    if (signal.outcome === "reject" && this.#open?.stopped) return this.#emit(signal, expired(ask, kind));
    if (signal.outcome === "reject" && this.#open) this.#open.refused = true;
    if (signal.type === "permission_over") {
      return this.#emit(signal, { type: "permission.resolved", data: { ask, outcome: signal.outcome } });
    }
    const answers = signal.answers === null ? null : signal.answers.map((one) => [...one]);
    this.#emit(signal, { type: "question.resolved", data: { ask, outcome: signal.outcome, answers } });
  }

  #error(signal: Signal & BodyOf<"error">): void {
    const turn = this.#open;
    if (turn) {
      turn.active = true;
      if (signal.nativeSession === undefined) turn.failure = { kind: "failed", message: signal.message };
      return this.#emitError(signal, turn, signal);
    }
    this.#emit(signal, errorBody(signal));
  }

  #emitError(signal: Signal, turn: Turn, error: ReportedError): void {
    if (turn.errors.has(error.message)) return;
    turn.errors.add(error.message);
    this.#emit(signal, errorBody(error));
  }

  #emitAll(signal: Signal, bodies: readonly EventBody[], synthetic = false): void {
    for (const body of bodies) this.#emit(signal, body, { synthetic });
  }

  #emit(signal: Signal, body: EventBody, { synthetic = false, raw }: { synthetic?: boolean; raw?: string } = {}) {
    this.#drafts.push({
      time: signal.at,
      session: signal.session,
      ...(signal.nativeSession === undefined ? {} : { nativeSession: signal.nativeSession }),
      turn: this.turn,
      source: synthetic ? "daemon" : "agent",
      synthetic: synthetic || signal.synthetic === true,
      ...(raw === undefined ? {} : { raw }),
      ...body,
    });
  }
}

type ReportedError = { message: string; item: string | null; status?: number | undefined };

function errorBody({ message, item, status }: ReportedError): EventBody {
  return { type: "error", data: { message, item, ...(status === undefined ? {} : { status }) } };
}

function newTurn(prompt: string | null, startedAt: number | null, active: boolean): Turn {
  const soFar = { stopped: false, answered: false, refused: false, failure: null };
  return { prompt, startedAt, active, ...soFar, errors: new Set() };
}

/** Restores failures and refusals, so that the turn ends with the right reason. */
function restoreTurn(turn: Turn, event: UniversalEvent): void {
  const below = event.nativeSession !== undefined;
  const { type } = event;
  turn.active ||= type === "error" || type.endsWith(".requested") || (type === "item.started" && !isPrompt(event.data));
  if (event.type === "error") {
    turn.errors.add(event.data.message);
    if (!below) turn.failure = { kind: "failed", message: event.data.message };
  } else if (event.type === "permission.resolved" || event.type === "question.resolved") {
    if (event.data.outcome === "reject") turn.refused = true;
  } else if (event.type === "item.started" && event.data.item.role === "assistant" && !below) {
    turn.refused = false;
  } else if (event.type === "item.completed") {
    const { role, status, parts } = event.data.item;
    if (parts.some((part) => part.type === "tool_result" && part.rejected)) turn.refused = true;
    if (role !== "assistant" || below) return;
    // Every failure except a stop is published as an error first.
    turn.answered ||= status === "completed";
    if (status === "completed") turn.failure = null;
    else turn.failure ??= { kind: "aborted", message: "" };
  }
}

function isPrompt({ item }: { item: Item }): boolean {
  return item.role === "user";
}

function expired(ask: string, kind: "permission" | "question"): EventBody {
  return kind === "permission"
    ? { type: "permission.resolved", data: { ask, outcome: "expired" } }
    : { type: "question.resolved", data: { ask, outcome: "expired", answers: null } };
}
