/**
 * What one Claude Code program is doing, as far as its lines tell: which prompts it has taken and not finished, what it
 * asks, and which of our requests it has answered. No I/O of its own: lines come in by `hear`, and go out by `write`.
 *
 * What bites: the echo of a prompt comes only with the first word of the answer, so a prompt counts as taken when the
 * program says that it is queued. A prompt that it knows already is echoed and nothing else.
 */
import { randomUUID } from "node:crypto";
import type { Ask } from "../../../core/transcript/transcript.ts";
import { permissionTitle } from "../../ask-title.ts";
import { questionTitle } from "../../asked-questions.ts";
import type { Json } from "../../json-fields.ts";
import { asList, asNumber, asObject, asText } from "../../json-fields.ts";

/** A question of the program to a person; `input` is what the tool is to be called with. */
export type ToolAsk = Ask & { call: string | null; tool: string; input: Json; suggestions: readonly unknown[] };

/** How a turn ended, in the program's words. */
export type TurnResult = { prompts: readonly string[]; at: number; error: string | null; cost: number | null };

export type StdioClientOptions = {
  sessionId: string;
  write: (line: object) => void;
  now: () => number;
  onResult: (result: TurnResult) => void;
  /** Something happened that is worth a look. */
  onChange: () => void;
};

/** Of a prompt that the program is done with, whether a turn was made of it or not. */
const endStates = new Set(["completed", "cancelled", "discarded", "refused"]);

type Waiter = { resolve: (response: Json) => void; reject: (error: Error) => void };

export class StdioClient {
  readonly #options: StdioClientOptions;
  readonly #asks = new Map<string, ToolAsk>();
  readonly #unfinished = new Set<string>();
  readonly #known = new Set<string>();
  readonly #taken = new Map<string, () => void>();
  readonly #requests = new Map<string, Waiter>();
  #unprompted = false;
  #over: string | null = null;
  /** The newest row that the program said it made: its file has to have it before the session counts as at rest. */
  newestRow: string | null = null;
  /** When the model was last heard: a long answer is in the file only when it is whole. */
  lastWordAt: number | null = null;

  constructor(options: StdioClientOptions) {
    this.#options = options;
  }

  get isWorking(): boolean {
    return this.#over === null && (this.#unfinished.size > 0 || this.#unprompted);
  }

  get asks(): readonly ToolAsk[] {
    return [...this.#asks.values()];
  }

  /** Resolves when the program has the prompt; false when it ended before that. */
  prompt(uuid: string, text: string): Promise<boolean> {
    if (this.#over !== null) return Promise.resolve(false);
    if (!this.#known.has(uuid)) this.#unfinished.add(uuid);
    const taken = new Promise<boolean>((resolve) => {
      this.#taken.set(uuid, () => resolve(this.#over === null));
    });
    const message = { role: "user", content: [{ type: "text", text }] };
    this.#options.write({ type: "user", uuid, message });
    return taken;
  }

  /** A request to the program itself. */
  request(request: Json): Promise<Json> {
    if (this.#over !== null) return Promise.reject(new Error(this.#over));
    const request_id = randomUUID();
    const answered = new Promise<Json>((resolve, reject) => this.#requests.set(request_id, { resolve, reject }));
    this.#options.write({ type: "control_request", request_id, request });
    return answered;
  }

  answer(ask: ToolAsk, response: Json): void {
    this.#asks.delete(ask.id);
    const answer = { subtype: "success", request_id: ask.id, response };
    this.#options.write({ type: "control_response", response: answer });
    this.#options.onChange();
  }

  /** The program is gone: so is all that it asked and was asked. */
  end(how: string): void {
    this.#over = how;
    this.#asks.clear();
    this.#unfinished.clear();
    for (const taken of this.#taken.values()) taken();
    this.#taken.clear();
    for (const { reject } of this.#requests.values()) reject(new Error(how));
    this.#requests.clear();
    this.#options.onChange();
  }

  hear(line: Json): void {
    const uuid = asText(line.uuid);
    switch (line.type) {
      case "command_lifecycle":
        return this.#lifecycle(asText(line.command_uuid) ?? "", asText(line.state) ?? "");
      case "user":
        if (line.isReplay === true && uuid !== null) return this.#isTaken(uuid);
        if (line.parent_tool_use_id == null && uuid !== null && line.isSynthetic !== true) this.newestRow = uuid;
        return;
      case "assistant":
        if (line.parent_tool_use_id == null && uuid !== null) this.newestRow = uuid;
        return this.#works();
      case "stream_event":
        // Others, as a provider's ping, only say that the connection lives.
        if (asObject(line.event)?.type === "content_block_delta") this.lastWordAt = this.#options.now();
        return this.#works();
      case "result":
        return this.#result(line);
      case "control_request":
        return this.#ask(line);
      case "control_cancel_request":
        if (this.#asks.delete(asText(line.request_id) ?? "")) this.#options.onChange();
        return;
      case "control_response":
        return this.#response(asObject(line.response) ?? {});
    }
  }

  /** With no prompt of ours that it could be for, the program has begun a turn by itself. */
  #works(): void {
    if (this.#unfinished.size === 0) this.#unprompted = true;
  }

  #lifecycle(uuid: string, state: string): void {
    if (state === "queued" || state === "started") this.#isTaken(uuid);
    else if (endStates.has(state)) this.#isFinished(uuid);
  }

  #isTaken(uuid: string): void {
    this.#known.add(uuid);
    this.#taken.get(uuid)?.();
    this.#taken.delete(uuid);
  }

  #isFinished(uuid: string): void {
    this.#isTaken(uuid);
    if (this.#unfinished.delete(uuid)) this.#options.onChange();
  }

  #result(line: Json): void {
    const named = asList(line.user_message_uuids).filter((uuid) => typeof uuid === "string");
    // Older ones do not name them: there the oldest prompt is the one that ended.
    const prompts = named.length > 0 || line.origin != null ? named : [...this.#unfinished].slice(0, 1);
    this.#unprompted = false;
    for (const uuid of prompts) this.#unfinished.delete(uuid);
    this.#asks.clear();
    const failed = line.is_error === true;
    const cost = costOf(asObject(line.model_usage_since_last_result));
    const error = failed ? (asText(line.result) ?? asText(line.subtype) ?? "error") : null;
    this.#options.onResult({ prompts, at: this.#options.now(), error, cost });
    this.#options.onChange();
  }

  #ask(line: Json): void {
    const id = asText(line.request_id);
    const request = asObject(line.request);
    if (id === null) return;
    if (request?.subtype !== "can_use_tool") return this.#decline(id, asText(request?.subtype) ?? "");
    const tool = asText(request.tool_name) ?? "";
    const input = asObject(request.input) ?? {};
    const kind = tool === "AskUserQuestion" ? "question" : "permission";
    this.#asks.set(id, {
      id,
      kind,
      sessionId: this.#options.sessionId,
      title: kind === "question" ? questionTitle(input) : permissionTitle(tool, input, request),
      askedAt: this.#options.now(),
      call: asText(request.tool_use_id),
      tool,
      input,
      suggestions: asList(request.permission_suggestions),
    });
    this.#options.onChange();
  }

  /** The program, or a tool server behind it, would wait for ever. It knows an unsupported request by these words. */
  #decline(request_id: string, subtype: string): void {
    const response = { subtype: "error", request_id, error: `Unsupported control request subtype: ${subtype}` };
    this.#options.write({ type: "control_response", response });
  }

  #response(response: Json): void {
    const id = asText(response.request_id) ?? "";
    const waiter = this.#requests.get(id);
    // What we answered is echoed, too.
    if (!waiter) return;
    this.#requests.delete(id);
    if (response.subtype === "error") waiter.reject(new Error(asText(response.error) ?? "refused"));
    else waiter.resolve(asObject(response.response) ?? {});
  }
}

/** The total that the program also gives goes on over turns, and sometimes over restarts. */
function costOf(usage: Json | null): number | null {
  if (!usage) return null;
  return Object.values(usage).reduce<number>((sum, model) => sum + asNumber(asObject(model)?.costUSD), 0);
}
