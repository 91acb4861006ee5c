/**
 * An agent that follows a script. It behaves like a separate server: its journal is on disk, and it continues after
 * Waybill crashes, since its transcript is derived from the journal and the clock.
 */
import { randomUUID } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Lane } from "../../core/lane/lane.ts";
import { provableTypes } from "../../core/message/file-type.ts";
import type { RuntimeIds, RuntimeTraits, TranscriptSlice } from "../../core/transcript/transcript.ts";
import type { SignalBody } from "../../core/turn/signal.ts";
import { newestTurn, signalsOf } from "../../core/turn/slice-signals.ts";
import { AppError, messageOf } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type {
  AskAnswer,
  ForkedSession,
  Hint,
  PostMessage,
  Prompt,
  Runtime,
  SignalListener,
  SubmitOutcome,
} from "../port.ts";
import type { JournalEntry } from "./journal.ts";
import { Journal, readJournal } from "./journal.ts";
import type { Arrival, StubScript, StubScriptInput, StubTurn } from "./script.ts";
import { stubScriptSchema } from "./script.ts";
import type { StubPost } from "./transcript.ts";
import { StubSession } from "./transcript.ts";

export type StubOptions = {
  journalPath: string;
  clock: Clock;
  /** By lane id; `default` is for all others. */
  scripts: Readonly<Record<string, StubScriptInput>>;
  postMessage: PostMessage;
  sendingAgain?: RuntimeTraits["sendingAgain"];
};

/** How often the agent looks whether a gate is open. */
const gatePollMs = 10;

/** For lanes without a script. */
const defaultScript: StubScriptInput = {
  always: [{ steps: [{ say: "This is the stub agent. It has no script for this." }] }],
};

export const stubTraits: RuntimeTraits = {
  takesIds: true,
  sendingAgain: "reruns",
  attachments: [...provableTypes, "text/*"].map((type) => ({ type, maxBytes: Number.MAX_SAFE_INTEGER })),
  takesSystem: false,
};

export function stubIds(digest: string): RuntimeIds {
  return { messageId: `msg_${digest}`, partId: `prt_${digest}` };
}

export class StubRuntime implements Runtime {
  readonly kind = "stub";
  readonly traits: RuntimeTraits;
  readonly idsFrom = stubIds;
  readonly #options: StubOptions;
  readonly #journal: Journal;
  readonly #sessions = new Map<string, StubSession>();
  readonly #usedTurns = new Map<string, Set<number>>();
  readonly #scripts = new Map<string, StubScript>();
  readonly #hintListeners = new Set<(hint: Hint) => void>();
  readonly #timers = new Map<string, () => void>();
  readonly #pendingPosts = new Set<string>();
  readonly #publishedChanges = new Map<string, number>();
  readonly #signalListeners = new Set<SignalListener>();
  /** By session: how many final rows were published. */
  readonly #publishedRows = new Map<string, number>();
  #closed = false;

  constructor(options: StubOptions) {
    this.#options = options;
    this.traits = { ...stubTraits, sendingAgain: options.sendingAgain ?? stubTraits.sendingAgain };
    for (const entry of readJournal(options.journalPath)) this.#apply(entry);
    for (const session of this.#sessions.values()) this.#publishedRows.set(session.id, session.finalRowCount());
    this.#journal = new Journal(options.journalPath);
  }

  /** The agent continues where its journal ends. */
  async recover(): Promise<void> {
    for (const session of this.#sessions.values()) this.#schedule(session);
  }

  async health(): Promise<null> {
    return null;
  }

  async openSession(lane: Lane): Promise<string> {
    const session = `ses_${randomUUID()}`;
    this.#record({ type: "open", at: this.#now(), session, lane: lane.id, directory: lane.directory });
    this.#publish(lane.id, session, { type: "session_started", resumed: false });
    return session;
  }

  /** A session without a known directory is listed for its own lane. */
  async sessionsIn({ id, directory }: Lane, _signal: AbortSignal, since = 0): Promise<string[]> {
    const here = [...this.#sessions.values()].filter((session) =>
      session.directory === null ? session.lane === id : session.directory === directory,
    );
    for (const session of here) session.advance(this.#now());
    return here
      .filter(({ isStale, changedAt }) => !isStale && changedAt >= since)
      .reverse()
      .sort((one, other) => other.changedAt - one.changedAt)
      .map((session) => session.id);
  }

  /** Only for the same lane, since the session makes its calls in the name of that lane. */
  async checkAdoption(lane: Lane, sessionId: string): Promise<void> {
    if (this.#sessions.get(sessionId)?.lane === lane.id) return;
    throw new AppError({
      code: "session_unknown",
      message: `The stub has not opened a session "${sessionId}" for lane "${lane.id}".`,
    });
  }

  /** Copies a session's journal entries under a new id, which replaces the old id in all names. */
  async fork(lane: Lane, { sessionId, before }: { sessionId: string; before: string | null }): Promise<ForkedSession> {
    const old = this.#advanced(sessionId);
    const entries = readJournal(this.#options.journalPath).filter((one) => one.session === sessionId);
    const end = entries.findIndex((one) => one.type === "prompt" && one.id === before);
    if (before !== null && end < 0) {
      throw new AppError({ code: "message_unknown", message: `The session "${sessionId}" has no prompt "${before}".` });
    }
    const session = `ses_${randomUUID()}`;
    for (const entry of before === null ? entries : entries.slice(0, end)) {
      this.#record(copiedEntry(entry, { session: sessionId, copy: session, lane: lane.id }));
    }
    this.#publishedRows.set(session, this.#advanced(session).finalRowCount());
    const renamed = old.slice(null).rows.map(({ id }) => [id, id.replaceAll(sessionId, session)] as const);
    return { sessionId: session, renamed: new Map(renamed) };
  }

  async read(_lane: Lane, sessionId: string, limit: number | null): Promise<TranscriptSlice> {
    const session = this.#sessions.get(sessionId);
    if (!session) return { sessionId, status: "stale", asks: [], rows: [], complete: true, lastActivityAt: null };
    session.advance(this.#now());
    return session.slice(limit);
  }

  async submit(lane: Lane, prompt: Prompt, signal: AbortSignal): Promise<SubmitOutcome> {
    const files: { name: string; size: number }[] = [];
    for (const { name, path } of prompt.attachments) {
      const found = statSync(path, { throwIfNoEntry: false });
      if (!found) return { outcome: "not_sent", reason: `The file "${name}" no longer exists.` };
      files.push({ name, size: found.size });
    }
    const session = this.#advanced(prompt.sessionId);
    const runs =
      !session.hasRun(prompt.messageId) &&
      (!session.hasPrompt(prompt.messageId) || this.traits.sendingAgain === "reruns");
    const picked = runs ? this.#pickTurn(lane.id, prompt.text) : null;
    const arrival = picked?.turn.arrival ?? "normal";
    const { sessionId, messageId: id, text } = prompt;
    const entry = { session: sessionId, lane: lane.id, id, text, files, arrival, turn: picked?.index ?? null };
    this.#record({ type: "prompt", at: this.#now(), ...entry });
    this.#schedule(session);
    return acknowledge(arrival, signal);
  }

  async abort(_lane: Lane, sessionId: string): Promise<void> {
    const session = this.#advanced(sessionId);
    this.#record({ type: "abort", at: this.#now(), session: sessionId });
    this.#publish(session.lane, sessionId, { type: "stopped" });
    this.#schedule(session);
  }

  /** For tests: deletes the session. */
  endSession(sessionId: string): void {
    const session = this.#advanced(sessionId);
    this.#record({ type: "end", at: this.#now(), session: sessionId });
    this.#schedule(session);
  }

  async answer(_lane: Lane, askId: string, answer: AskAnswer): Promise<void> {
    const session = [...this.#sessions.values()].find((one) => one.hasAsk(askId));
    if (!session) throw new AppError({ code: "ask_unknown", message: `The ask "${askId}" is no longer open.` });
    const { decision, answers = null } = answer;
    const outcome = decision === "reject" ? decision : "answered";
    const body: SignalBody = session.asksQuestion(askId)
      ? { type: "question_over", ask: askId, outcome, answers }
      : { type: "permission_over", ask: askId, outcome: decision };
    this.#publish(session.lane, session.id, body);
    this.#record({ type: "answer", at: this.#now(), session: session.id, ask: askId, ...answer });
    this.#schedule(session);
  }

  onSignal(listener: SignalListener): () => void {
    this.#signalListeners.add(listener);
    return () => this.#signalListeners.delete(listener);
  }

  async resync(_lane: Lane, sessionId: string): Promise<void> {
    const session = this.#advanced(sessionId);
    const slice = session.slice(null);
    this.#publishSlice(session, { ...slice, rows: newestTurn(slice.rows) });
  }

  onHint(listener: (hint: Hint) => void): () => void {
    this.#hintListeners.add(listener);
    return () => this.#hintListeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#journal.close();
  }

  #now(): number {
    return this.#options.clock.now();
  }

  #record(entry: JournalEntry): void {
    this.#journal.append(entry);
    this.#apply(entry);
  }

  #apply(entry: JournalEntry): void {
    if (entry.type === "open") {
      this.#sessions.set(entry.session, new StubSession(entry, this.#script(entry.lane)));
      return;
    }
    const session = this.#session(entry.session);
    session.advance(entry.at);
    switch (entry.type) {
      case "prompt":
        return this.#promptArrived(session, entry);
      case "abort":
        return session.abort(entry.at);
      case "end":
        return session.end(entry.at);
      case "answer":
        session.answer(entry.ask, entry, entry.at);
        return;
      case "posted":
        return session.postCompleted(entry.tool, entry.error, entry.at);
      case "passed":
        return session.pass(entry.gate, entry.at);
      default:
        entry satisfies never;
    }
  }

  #promptArrived(session: StubSession, entry: Extract<JournalEntry, { type: "prompt" }>): void {
    const script = this.#script(entry.lane);
    if (entry.turn !== null && entry.turn < script.turns.length) this.#used(entry.lane).add(entry.turn);
    if (entry.arrival === "lost" || entry.arrival === "unavailable" || entry.arrival === "refused") return;
    session.addPrompt(entry, entry.at);
    const turn = entry.turn === null ? undefined : [...script.turns, ...script.always][entry.turn];
    if (turn && entry.arrival !== "forgotten") session.startTurn(entry.id, turn, entry.at);
  }

  #pickTurn(lane: string, text: string): { index: number; turn: StubTurn } | null {
    const script = this.#script(lane);
    const used = this.#used(lane);
    const turns = [...script.turns, ...script.always];
    const index = turns.findIndex((turn, position) => !used.has(position) && text.includes(turn.when ?? ""));
    const turn = turns[index];
    return turn ? { index, turn } : null;
  }

  #used(lane: string): Set<number> {
    const used = this.#usedTurns.get(lane) ?? new Set();
    this.#usedTurns.set(lane, used);
    return used;
  }

  #script(lane: string): StubScript {
    const known = this.#scripts.get(lane);
    if (known) return known;
    const { scripts } = this.#options;
    const script = stubScriptSchema.parse(scripts[lane] ?? scripts.default ?? defaultScript);
    this.#scripts.set(lane, script);
    return script;
  }

  #advanced(sessionId: string): StubSession {
    const session = this.#session(sessionId);
    session.advance(this.#now());
    return session;
  }

  #session(id: string): StubSession {
    const session = this.#sessions.get(id);
    if (session) return session;
    throw new AppError({ code: "session_unknown", message: `The stub has no session "${id}".` });
  }

  /** Sets the timer for the session's next step, makes its calls, and publishes its changes. */
  #schedule(session: StubSession): void {
    if (this.#closed) return;
    session.advance(this.#now());
    this.#passOpenGates(session);
    for (const post of session.pendingPosts()) void this.#post(session, post);
    this.#timers.get(session.id)?.();
    this.#timers.delete(session.id);
    const next = session.gate === null ? session.nextAt() : this.#now() + gatePollMs;
    if (next !== null && Number.isFinite(next)) {
      const cancel = this.#options.clock.at(next, () => this.#schedule(session));
      this.#timers.set(session.id, cancel);
    }
    this.#publishChanges(session);
  }

  #passOpenGates(session: StubSession): void {
    const isOpen = (gate: string) => existsSync(join(dirname(this.#options.journalPath), "gates", gate));
    for (let { gate } = session; gate !== null && isOpen(gate); gate = session.gate) {
      this.#record({ type: "passed", at: this.#now(), session: session.id, gate });
      session.advance(this.#now());
    }
  }

  #publish(lane: string, session: string, body: SignalBody): void {
    for (const listener of this.#signalListeners) listener(lane, { at: this.#now(), session, ...body });
  }

  #publishSlice(session: StubSession, slice: TranscriptSlice): void {
    for (const signal of signalsOf(slice, this.#now())) {
      for (const listener of this.#signalListeners) listener(session.lane, session.withDetail(signal));
    }
  }

  #publishChanges(session: StubSession): void {
    this.#publishSlice(session, session.slice(session.rowCount - (this.#publishedRows.get(session.id) ?? 0)));
    this.#publishedRows.set(session.id, session.finalRowCount());
    if (session.changeCount === (this.#publishedChanges.get(session.id) ?? 0) || !this.#script(session.lane).hints)
      return;
    this.#publishedChanges.set(session.id, session.changeCount);
    for (const listener of this.#hintListeners) listener({ sessionId: session.id });
  }

  async #post(session: StubSession, post: StubPost): Promise<void> {
    if (this.#pendingPosts.has(post.tool)) return;
    this.#pendingPosts.add(post.tool);
    const { tool, ...message } = post;
    let error: string | null = null;
    try {
      await this.#options.postMessage({ ...message, id: `msg-${tool}`, lane: session.lane });
    } catch (thrown) {
      error = messageOf(thrown);
    }
    if (this.#closed) return;
    this.#record({ type: "posted", at: this.#now(), session: session.id, tool, error });
    this.#schedule(session);
  }
}

function copiedEntry(entry: JournalEntry, { session, copy, lane }: { session: string; copy: string; lane: string }) {
  switch (entry.type) {
    case "open":
      return { ...entry, session: copy, lane };
    case "answer":
      return { ...entry, session: copy, ask: entry.ask.replaceAll(session, copy) };
    case "posted":
      return { ...entry, session: copy, tool: entry.tool.replaceAll(session, copy) };
    default:
      return { ...entry, session: copy };
  }
}

function acknowledge(arrival: Arrival, signal: AbortSignal): SubmitOutcome | Promise<SubmitOutcome> {
  switch (arrival) {
    case "normal":
    case "lost":
    case "forgotten":
      return { outcome: "accepted" };
    case "unavailable":
      return { outcome: "not_sent", reason: "agent_unavailable" };
    case "refused":
      return { outcome: "refused", reason: "agent_refused" };
    case "after_timeout":
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
    default:
      return arrival satisfies never;
  }
}
