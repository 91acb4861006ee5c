/**
 * One session of a stub agent: a transcript that grows by the script as time passes. It has no timers and does no
 * I/O; the same entries at the same times give the same rows, so it can be replayed from the journal after a crash.
 */

import type { Usage } from "../../core/lane/daily-limit.ts";
import type { Ask, RowError, ToolCall, TranscriptRow, TranscriptSlice } from "../../core/transcript/transcript.ts";
import type { AskAnswer } from "../port.ts";
import type { StubScript, StubStep, StubTurn } from "./script.ts";
import { durationOf } from "./script.ts";

type Row = { -readonly [K in keyof TranscriptRow]: TranscriptRow[K] } & { tools: Tool[] };
type Tool = { -readonly [K in keyof ToolCall]: ToolCall[K] };
type Run = {
  userId: string;
  prompt: string;
  steps: readonly StubStep[];
  next: number;
  readyAt: number;
  waitsFor: Tool | null;
};

/** A `message_send` that the agent makes; whoever runs the session carries it out and reports back. */
export type Post = { tool: string; to: string; text: string; summary: string | null; relayOfMessageId: string | null };

export class StubSession {
  readonly id: string;
  readonly lane: string;
  readonly #script: StubScript;
  readonly #rows: Row[] = [];
  readonly #userRows = new Map<string, Row>();
  #asks: Ask[] = [];
  #run: Run | null = null;
  #stale = false;
  #lastActivityAt: number | null = null;
  #posts: Post[] = [];
  /** Rises whenever something happened that an event stream would tell. */
  happenings = 0;

  constructor(id: string, lane: string, script: StubScript) {
    this.id = id;
    this.lane = lane;
    this.#script = script;
  }

  knows(userId: string): boolean {
    return this.#userRows.has(userId);
  }

  /** Whether a turn for this prompt has ended in order, or is under way. */
  hasRun(userId: string): boolean {
    if (this.#run?.userId === userId) return true;
    const newest = this.#rows.findLast((row) => row.parentId === userId);
    return newest !== undefined && newest.completedAt !== null;
  }

  store(userId: string, text: string, at: number): void {
    if (this.#userRows.has(userId)) return;
    const row = this.#addRow({ id: userId, role: "user", parentId: null, text, at });
    row.completedAt = at;
    this.#userRows.set(userId, row);
  }

  /** A prompt that comes while a turn runs takes it over: what was still to come for the older one never comes. */
  begin(userId: string, turn: StubTurn, at: number): void {
    if (this.#run) this.#finishRow(at, "tool-calls");
    this.#asks = [];
    const prompt = this.#userRows.get(userId)?.text ?? "";
    this.#run = { userId, prompt, steps: turn.steps, next: 0, readyAt: at, waitsFor: null };
    this.#schedule(at);
  }

  abort(at: number): void {
    if (!this.#run) return;
    this.#endWithError(at, { kind: "aborted", message: "aborted" });
  }

  end(at: number): void {
    this.abort(at);
    this.#stale = true;
    this.happenings += 1;
  }

  answer(askId: string, { decision, answers = [] }: AskAnswer, at: number): boolean {
    const ask = this.#asks.find((one) => one.id === askId);
    const tool = this.#run?.waitsFor;
    if (!ask || !tool) return false;
    this.#asks = this.#asks.filter((one) => one !== ask);
    if (decision === "reject") {
      Object.assign(tool, { status: "error", rejected: true, output: "The person refused." });
      this.#finishRow(at, "tool-calls");
      this.#rest();
    } else {
      Object.assign(tool, { status: "completed", output: answers.map((one) => one.join(", ")).join(" / ") || "ok" });
      this.#afterTool(at);
    }
    return true;
  }

  posted(toolId: string, error: string | null, at: number): void {
    const tool = this.#run?.waitsFor;
    if (tool?.id !== toolId) return;
    this.#posts = this.#posts.filter((post) => post.tool !== toolId);
    Object.assign(tool, { status: error === null ? "completed" : "error", output: error ?? "sent" });
    this.#afterTool(at);
  }

  openPosts(): readonly Post[] {
    return this.#posts;
  }

  hasAsk(askId: string): boolean {
    return this.#asks.some((ask) => ask.id === askId);
  }

  asksQuestion(askId: string): boolean {
    return this.#asks.some(({ id, kind }) => id === askId && kind === "question");
  }

  get rowCount(): number {
    return this.#rows.length;
  }

  /** How many rows, from the first on, will not change any more. */
  rowsOver(): number {
    // A row that a crash left open in an earlier turn stays as it is.
    const open = this.#rows.findLastIndex((row) => row.completedAt === null && row.parentId === this.#run?.userId);
    return open < 0 ? this.#rows.length : open;
  }

  /** When the next step is due, or null while nothing will happen by itself. */
  nextAt(): number | null {
    return this.#run && this.#run.waitsFor === null ? this.#run.readyAt : null;
  }

  /** Does everything that is due by `now`. */
  advance(now: number): void {
    for (let at = this.nextAt(); at !== null && at <= now; at = this.nextAt()) this.#step(at);
  }

  slice(limit: number | null): TranscriptSlice {
    const rows = limit === null ? this.#rows : this.#rows.slice(Math.max(0, this.#rows.length - limit));
    return {
      sessionId: this.id,
      status: this.#stale ? "stale" : this.#run ? "busy" : "idle",
      asks: [...this.#asks],
      rows: structuredClone(rows),
      complete: rows.length === this.#rows.length,
      lastActivityAt: this.#lastActivityAt,
    };
  }

  #step(at: number): void {
    const run = this.#run;
    if (!run) return;
    const step = run.steps[run.next];
    run.next += 1;
    if (step === undefined) return this.#end(at);
    if ("say" in step) this.#activeRow(at).text += step.say;
    else if ("think" in step) this.#activeRow(at).reasoning += step.think;
    else if ("uses" in step) this.#use(step.uses, at);
    else if ("tool" in step) this.#useTool(step, at);
    else if ("reply" in step) this.#post(step, run, at);
    else if ("ask" in step) this.#ask(step, run, at);
    else if ("error" in step) return this.#endWithError(at, { kind: "failed", message: step.error });
    else if ("crash" in step) return this.#crash(at);
    else if ("stale" in step) return this.#goStale(at);
    else if ("hang" in step) run.readyAt = Number.POSITIVE_INFINITY;
    if (run.waitsFor === null && !("hang" in step)) this.#schedule(at);
  }

  #schedule(at: number): void {
    const run = this.#run;
    if (!run) return;
    const next = run.steps[run.next];
    run.readyAt = at + (next === undefined ? this.#script.stepMs : durationOf(next, this.#script));
  }

  #use({ tokens, cost }: Usage, at: number): void {
    const row = this.#openRow(at);
    const { usage = { tokens: 0, cost: 0 } } = row;
    row.usage = { tokens: usage.tokens + tokens, cost: usage.cost + cost };
  }

  #useTool(step: Extract<StubStep, { tool: string }>, at: number): void {
    this.#activeRow(at).tools.push(
      this.#tool(step.tool, {
        status: step.fails ? "error" : "completed",
        input: step.input ?? {},
        output: step.output ?? "",
        ...(step.changes ? { files: step.changes } : {}),
      }),
    );
    this.#finishRow(at, "tool-calls");
  }

  #post(step: Extract<StubStep, { reply: string }>, run: Run, at: number): void {
    const named = /relayOfMessageId "([^"]+)"/.exec(run.prompt)?.[1] ?? null;
    const relayOfMessageId = step.relay === false ? null : named;
    const to = step.to ?? /to "([^"]+)", relayOfMessageId/.exec(run.prompt)?.[1] ?? "user";
    const input = { to, text: step.reply, summary: step.summary ?? null, relayOfMessageId };
    const tool = this.#tool("waybill_message_send", { status: "running", input });
    this.#activeRow(at).tools.push(tool);
    run.waitsFor = tool;
    this.#posts.push({ tool: tool.id, ...input });
  }

  #ask(step: Extract<StubStep, { ask: string }>, run: Run, at: number): void {
    const tool = this.#tool(step.ask === "permission" ? "bash" : "question", { status: "running" });
    this.#activeRow(at).tools.push(tool);
    run.waitsFor = tool;
    this.#asks.push({
      id: `ask-${tool.id}`,
      kind: step.ask,
      sessionId: this.id,
      title: step.title ?? step.ask,
      askedAt: at,
    });
    this.happenings += 1;
  }

  #afterTool(at: number): void {
    this.#finishRow(at, "tool-calls");
    if (this.#run) this.#run.waitsFor = null;
    this.#schedule(at);
  }

  #end(at: number): void {
    const row = this.#openRow(at);
    row.finish = "stop";
    row.completedAt = at;
    this.#rest();
  }

  #endWithError(at: number, error: RowError): void {
    const row = this.#openRow(at);
    Object.assign(row, { error, completedAt: at });
    for (const tool of row.tools) if (tool.status === "running") tool.status = "error";
    this.#rest();
  }

  #crash(at: number): void {
    this.#openRow(at);
    this.#rest();
  }

  #goStale(at: number): void {
    this.#openRow(at);
    this.#stale = true;
    this.#rest();
  }

  #rest(): void {
    this.#run = null;
    this.#asks = [];
    this.#posts = [];
    this.happenings += 1;
  }

  #activeRow(at: number): Row {
    const row = this.#openRow(at);
    row.firstActivityAt ??= at;
    return row;
  }

  #openRow(at: number): Row {
    this.#lastActivityAt = at;
    const newest = this.#rows.at(-1);
    const parentId = this.#run?.userId ?? null;
    if (newest?.role === "assistant" && newest.completedAt === null && newest.parentId === parentId) return newest;
    return this.#addRow({ id: `${this.id}-row-${this.#rows.length}`, role: "assistant", parentId, text: "", at });
  }

  #finishRow(at: number, finish: string): void {
    const newest = this.#rows.at(-1);
    if (newest?.role === "assistant" && newest.completedAt === null) Object.assign(newest, { completedAt: at, finish });
  }

  #addRow(row: Pick<TranscriptRow, "id" | "role" | "parentId" | "text"> & { at: number }): Row {
    const { at, ...given } = row;
    const made: Row = {
      ...given,
      continuesId: null,
      reasoning: "",
      tools: [],
      finish: null,
      error: null,
      createdAt: at,
      firstActivityAt: null,
      completedAt: null,
    };
    this.#rows.push(made);
    this.#lastActivityAt = at;
    return made;
  }

  #tool(name: string, given: Partial<ToolCall>): Tool {
    const id = `${this.id}-tool-${this.#rows.length}-${this.#rows.at(-1)?.tools.length ?? 0}`;
    return { id, name, status: "completed", input: {}, output: "", rejected: false, ...given };
  }
}
