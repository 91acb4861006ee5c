/**
 * One session of a stub agent: a transcript that grows according to the script as time passes. It has no timers and
 * does no I/O. The same entries at the same times give the same rows, so the journal can be replayed after a crash.
 */
import type { Usage } from "../../core/lane/lane.ts";
import type { Ask, RowError, ToolCall, TranscriptSlice } from "../../core/transcript/transcript.ts";
import type { Signal } from "../../core/turn/signal.ts";
import type { AskAnswer } from "../port.ts";
import type { MutableRow, MutableToolCall } from "../process-pool/transcript-slice.ts";
import { emptyRow } from "../process-pool/transcript-slice.ts";
import type { JournalEntry } from "./journal.ts";
import type { StubScript, StubStep, StubTurn } from "./script.ts";

type PromptEntry = Extract<JournalEntry, { type: "prompt" }>;
type OpenEntry = Extract<JournalEntry, { type: "open" }>;

type RunningTurn = {
  userId: string;
  prompt: string;
  steps: readonly StubStep[];
  next: number;
  readyAt: number;
  /** Until this is passed, the next step is not due. */
  gate: string | null;
  waitsFor: MutableToolCall | null;
  /** The tool of the next step, if it is shown while it runs. */
  running: MutableToolCall | null;
};

/** An ask is named after the call that waits for it. */
const askPrefix = "ask-";

/** A `message_send` call of the agent; the runtime makes it and reports back. */
export type StubPost = {
  tool: string;
  to: string;
  text: string;
  summary: string | null;
  relayOfMessageId: string | null;
  outcome: string | null;
};

export class StubSession {
  readonly id: string;
  readonly lane: string;
  /** Null for sessions from older journals. */
  readonly directory: string | null;
  readonly #openedAt: number;
  readonly #script: StubScript;
  readonly #rows: MutableRow[] = [];
  readonly #userRows = new Map<string, MutableRow>();
  #asks: Ask[] = [];
  readonly #askSteps = new Map<string, Extract<StubStep, { ask: string }>>();
  #turn: RunningTurn | null = null;
  #stale = false;
  #lastActivityAt: number | null = null;
  #posts: StubPost[] = [];
  /** Counts the changes that an event stream would report. */
  changeCount = 0;

  constructor({ session, lane, directory, at }: OpenEntry, script: StubScript) {
    this.id = session;
    this.lane = lane;
    this.directory = directory ?? null;
    this.#openedAt = at;
    this.#script = script;
  }

  get isStale(): boolean {
    return this.#stale;
  }

  get changedAt(): number {
    return this.#lastActivityAt ?? this.#openedAt;
  }

  hasPrompt(userId: string): boolean {
    return this.#userRows.has(userId);
  }

  /** Whether a turn for this prompt is running, or has ended normally. */
  hasRun(userId: string): boolean {
    if (this.#turn?.userId === userId) return true;
    const newest = this.#rows.findLast((row) => row.parentId === userId);
    return newest !== undefined && newest.completedAt !== null;
  }

  addPrompt({ id, text, files = [] }: Pick<PromptEntry, "id" | "text" | "files">, at: number): void {
    if (this.#userRows.has(id)) return;
    const row = this.#addRow(id, "user", null, at);
    const shown = files.map(({ name, size }) => `[file ${name}, ${size} bytes]`);
    Object.assign(row, { text: [text, ...shown].join("\n"), completedAt: at });
    this.#userRows.set(id, row);
  }

  /** A prompt takes over a running turn; the remaining steps of that turn never run. */
  startTurn(userId: string, { steps }: StubTurn, at: number): void {
    if (this.#turn) this.#finishRow(at, "tool-calls");
    this.#asks = [];
    const prompt = this.#userRows.get(userId)?.text ?? "";
    this.#turn = { userId, prompt, steps, next: 0, readyAt: at, gate: null, waitsFor: null, running: null };
    this.#schedule(at);
  }

  abort(at: number): void {
    if (this.#turn) this.#endWithError(at, { kind: "aborted", message: "aborted" });
  }

  end(at: number): void {
    this.abort(at);
    this.#stale = true;
    this.changeCount += 1;
  }

  answer(askId: string, { decision, answers = [], message }: AskAnswer, at: number): boolean {
    const ask = this.#asks.find((one) => one.id === askId);
    const tool = this.#turn?.waitsFor;
    if (!ask || !tool) return false;
    this.#asks = this.#asks.filter((one) => one !== ask);
    if (decision === "reject" && message !== undefined) {
      Object.assign(tool, { status: "error", rejected: true, output: `The person refused: ${message}` });
      this.#afterTool(at);
    } else if (decision === "reject") {
      Object.assign(tool, { status: "error", rejected: true, output: "The person refused." });
      this.#finishRow(at, "tool-calls");
      this.#endTurn();
    } else {
      Object.assign(tool, { status: "completed", output: answers.map((one) => one.join(", ")).join(" / ") || "ok" });
      this.#afterTool(at);
    }
    return true;
  }

  postCompleted(toolId: string, error: string | null, at: number): void {
    const tool = this.#turn?.waitsFor;
    if (tool?.id !== toolId) return;
    this.#posts = this.#posts.filter((post) => post.tool !== toolId);
    Object.assign(tool, { status: error === null ? "completed" : "error", output: error ?? "sent" });
    this.#afterTool(at);
  }

  pendingPosts(): readonly StubPost[] {
    return this.#posts;
  }

  hasAsk(askId: string): boolean {
    return this.#asks.some((ask) => ask.id === askId);
  }

  asksQuestion(askId: string): boolean {
    return this.#asks.some(({ id, kind }) => id === askId && kind === "question");
  }

  /** Adds what the script says about an ask, since a transcript slice has only its title. */
  withDetail(signal: Signal): Signal {
    if (signal.type !== "permission" && signal.type !== "question") return signal;
    const { detail = null, questions } = this.#askSteps.get(signal.ask) ?? {};
    const call = signal.ask.slice(askPrefix.length);
    return signal.type === "permission"
      ? { ...signal, call, detail }
      : { ...signal, call, questions: questions ?? signal.questions };
  }

  get rowCount(): number {
    return this.#rows.length;
  }

  /** How many of the first rows are final. */
  finalRowCount(): number {
    // If a crash left a row of an earlier turn open, that row never changes.
    const open = this.#rows.findLastIndex((row) => row.completedAt === null && row.parentId === this.#turn?.userId);
    return open < 0 ? this.#rows.length : open;
  }

  /** When the next step is due; null while none is. */
  nextAt(): number | null {
    return this.#turn && this.#turn.waitsFor === null && this.#turn.gate === null ? this.#turn.readyAt : null;
  }

  /** The gate at which the turn waits. */
  get gate(): string | null {
    return this.#turn?.gate ?? null;
  }

  pass(gate: string, at: number): void {
    if (this.#turn?.gate !== gate) return;
    this.#turn.gate = null;
    this.#turn.readyAt = at;
  }

  /** Runs every step that is due by `now`. */
  advance(now: number): void {
    for (let at = this.nextAt(); at !== null && at <= now; at = this.nextAt()) this.#runStep(at);
  }

  slice(limit: number | null): TranscriptSlice {
    const rows = limit === null ? this.#rows : this.#rows.slice(Math.max(0, this.#rows.length - limit));
    return {
      sessionId: this.id,
      status: this.#stale ? "stale" : this.#turn ? "busy" : "idle",
      asks: [...this.#asks],
      rows: structuredClone(rows),
      complete: rows.length === this.#rows.length,
      lastActivityAt: this.#lastActivityAt,
    };
  }

  #runStep(at: number): void {
    const turn = this.#turn;
    if (!turn) return;
    const step = turn.steps[turn.next];
    turn.next += 1;
    if (step === undefined) return this.#finishTurn(at);
    if ("say" in step) this.#activeRow(at).text += step.say;
    else if ("echo" in step) this.#activeRow(at).text += `${step.echo}${turn.prompt.split("\n").at(-1) ?? ""}`;
    else if ("think" in step) this.#activeRow(at).reasoning += step.think;
    else if ("uses" in step) this.#addUsage(step.uses, at);
    else if ("tool" in step) this.#useTool(step, at);
    else if ("reply" in step) this.#post(step, turn, at);
    else if ("ask" in step) this.#ask(step, turn, at);
    else if ("error" in step)
      return this.#endWithError(at, { kind: "failed", message: step.error, status: step.status });
    else if ("crash" in step || "stale" in step) return this.#abandonTurn(at, "stale" in step);
    else if ("hang" in step) turn.readyAt = Number.POSITIVE_INFINITY;
    if (turn.waitsFor === null && !("hang" in step)) this.#schedule(at);
  }

  #schedule(at: number): void {
    const turn = this.#turn;
    if (!turn) return;
    const next = turn.steps[turn.next];
    turn.readyAt = at + (next === undefined ? this.#script.stepMs : durationOf(next, this.#script));
    turn.gate = next !== undefined && "until" in next ? (next.until ?? null) : null;
    if (!next || !("tool" in next) || !next.showsRunning) return;
    turn.running = this.#tool(next.tool, { status: "running", input: next.input ?? {} });
    this.#activeRow(at).tools.push(turn.running);
    this.changeCount += 1;
  }

  #addUsage({ tokens, cost }: Usage, at: number): void {
    const row = this.#openRow(at);
    const { usage = { tokens: 0, cost: 0 } } = row;
    row.usage = { tokens: usage.tokens + tokens, cost: usage.cost + cost };
  }

  #useTool(step: Extract<StubStep, { tool: string }>, at: number): void {
    const over: Partial<ToolCall> = {
      status: step.fails ? "error" : "completed",
      input: step.input ?? {},
      output: step.output ?? "",
      ...(step.changes ? { files: step.changes } : {}),
      ...(step.exitCode === undefined ? {} : { exitCode: step.exitCode }),
      ...(step.timesOut === undefined ? {} : { timedOut: step.timesOut }),
    };
    const { tools } = this.#activeRow(at);
    const running = this.#turn?.running;
    if (running) Object.assign(running, over);
    else tools.push(this.#tool(step.tool, over));
    if (this.#turn) this.#turn.running = null;
    this.#finishRow(at, "tool-calls");
  }

  #post(step: Extract<StubStep, { reply: string }>, turn: RunningTurn, at: number): void {
    const named = /relayOfMessageId "([^"]+)"/.exec(turn.prompt)?.[1] ?? null;
    const relayOfMessageId = step.relay === false ? null : named;
    const to = step.to ?? /to "([^"]+)", relayOfMessageId/.exec(turn.prompt)?.[1] ?? "user";
    const input = {
      to,
      text: step.reply,
      summary: step.summary ?? null,
      relayOfMessageId,
      outcome: step.outcome ?? null,
    };
    const tool = this.#tool("waybill_message_send", { status: "running", input });
    this.#activeRow(at).tools.push(tool);
    if (step.pretends === true) {
      Object.assign(tool, { status: "completed", output: "sent" });
      return this.#finishRow(at, "tool-calls");
    }
    turn.waitsFor = tool;
    this.#posts.push({ tool: tool.id, ...input });
  }

  #ask(step: Extract<StubStep, { ask: string }>, turn: RunningTurn, at: number): void {
    const tool = this.#tool(step.ask === "permission" ? "bash" : "question", { status: "running" });
    this.#activeRow(at).tools.push(tool);
    turn.waitsFor = tool;
    this.#asks.push({
      id: `${askPrefix}${tool.id}`,
      kind: step.ask,
      sessionId: this.id,
      title: step.title ?? step.questions?.map(({ question }) => question).join("\n") ?? step.ask,
      askedAt: at,
    });
    this.#askSteps.set(`${askPrefix}${tool.id}`, step);
    this.changeCount += 1;
  }

  #afterTool(at: number): void {
    this.#finishRow(at, "tool-calls");
    if (this.#turn) this.#turn.waitsFor = null;
    this.#schedule(at);
  }

  #finishTurn(at: number): void {
    Object.assign(this.#openRow(at), { finish: "stop", completedAt: at });
    this.#endTurn();
  }

  #endWithError(at: number, error: RowError): void {
    const row = this.#openRow(at);
    Object.assign(row, { error, completedAt: at });
    for (const tool of row.tools) if (tool.status === "running") tool.status = "error";
    this.#endTurn();
  }

  #abandonTurn(at: number, stale: boolean): void {
    this.#openRow(at);
    this.#stale ||= stale;
    this.#endTurn();
  }

  #endTurn(): void {
    this.#turn = null;
    this.#asks = [];
    this.#posts = [];
    this.changeCount += 1;
  }

  #activeRow(at: number): MutableRow {
    const row = this.#openRow(at);
    row.firstActivityAt ??= at;
    return row;
  }

  #openRow(at: number): MutableRow {
    this.#lastActivityAt = at;
    const newest = this.#rows.at(-1);
    const parentId = this.#turn?.userId ?? null;
    if (newest?.role === "assistant" && newest.completedAt === null && newest.parentId === parentId) return newest;
    return this.#addRow(`${this.id}-row-${this.#rows.length}`, "assistant", parentId, at);
  }

  #finishRow(at: number, finish: string): void {
    const newest = this.#rows.at(-1);
    if (newest?.role === "assistant" && newest.completedAt === null) Object.assign(newest, { completedAt: at, finish });
  }

  #addRow(id: string, role: "user" | "assistant", parentId: string | null, at: number): MutableRow {
    const row: MutableRow = { ...emptyRow, id, role, parentId, createdAt: at, tools: [] };
    this.#rows.push(row);
    this.#lastActivityAt = at;
    return row;
  }

  #tool(name: string, given: Partial<ToolCall>): MutableToolCall {
    const id = `${this.id}-tool-${this.#rows.length}-${this.#rows.at(-1)?.tools.length ?? 0}`;
    return { id, name, status: "completed", input: {}, output: "", rejected: false, ...given };
  }
}

function durationOf(step: StubStep, script: StubScript): number {
  if ("wait" in step) return step.wait;
  if ("tool" in step) return step.takesMs ?? script.stepMs;
  return script.stepMs;
}
