/**
 * Translates the lines of one Claude Code process into what all runtimes say. It holds what lines refer to: which
 * prompts are not answered yet, which message is being said, which calls wait for their results. The runtime tells it
 * what the lines do not have: the text of a prompt, the answer to an ask, a stop.
 *
 * It never throws. A line that it does not know, or that is not what its name promises, is told as `unparsed`; a line
 * that comes twice is told once. That the process ended is for the runtime to say.
 */
import { KnownIds } from "../../../core/turn/item-tracker.ts";
import type { Said } from "../../../core/turn/signal.ts";
import type { TurnEndReason } from "../../../core/turn/universal-event.ts";
import type { Json } from "../../json-fields.ts";
import { asList, asObject, asText, blocksOf, jsonIn, textOfBlocks } from "../../json-fields.ts";
import type { AskAnswer } from "../../port.ts";
import type { Call } from "./agent-stream.ts";
import { AgentStream } from "./agent-stream.ts";
import { fileChange } from "./file-change.ts";
import { becomes, lineName } from "./line-table.ts";
import { OpenPrompts } from "./open-prompts.ts";
import { TaskList } from "./task-list.ts";
import type { AskSaid } from "./translate-ask.ts";
import { askSays } from "./translate-ask.ts";
import { promptParts } from "./translate-prompt.ts";
import { endOf } from "./translate-result.ts";
import { missingServers, statusSays } from "./translate-status.ts";
import { notesOf, stateOfResult } from "./translate-tool-result.ts";
import { turnUsage } from "./translate-usage.ts";

/** `nativeSession` is the subagent that it is about. */
export type Heard = Said & { nativeSession?: string };

const longestRaw = 4000;
/** Lines come twice soon or never. */
const remembered = 5000;

/** What became of a prompt that no turn was made of. The program says `completed` of one that it knew from before. */
const endsWithoutTurn: Readonly<Record<string, TurnEndReason | undefined>> = {
  completed: "interrupted",
  cancelled: "aborted",
  discarded: "aborted",
  refused: "error",
};

export class LineTranslator {
  readonly #seen = new KnownIds(remembered);
  readonly #prompts = new OpenPrompts();
  /** The lane's own agent has no name. */
  readonly #agents = new Map<string, AgentStream>();
  readonly #calls = new Map<string, Call>();
  readonly #asks = new Map<string, AskSaid>();
  readonly #refused = new Set<string>();
  readonly #tasks = new TaskList();
  #missing = "";
  #cost: number | null;

  /** The costs of a session that is gone on with are not known before its first result. */
  constructor({ resumed = false }: { resumed?: boolean } = {}) {
    this.#cost = resumed ? null : 0;
  }

  /** A prompt is on its way to the program. */
  sent(uuid: string, text: string): void {
    this.#prompts.sent(uuid, text);
  }

  answered(ask: string, { decision, answers }: AskAnswer): Heard[] {
    const asked = this.#asks.get(ask);
    if (!asked) return [];
    this.#asks.delete(ask);
    if (decision === "reject" && asked.call !== null) this.#refused.add(asked.call);
    if (asked.type === "permission") return [{ type: "permission_over", ask, outcome: decision }];
    const outcome = decision === "reject" ? "reject" : "answered";
    return [{ type: "question_over", ask, outcome, answers: outcome === "reject" ? null : (answers ?? []) }];
  }

  /** The program was asked to stop. */
  interrupted(): Heard[] {
    return [{ type: "stopped" }];
  }

  take(given: string | Json): Heard[] {
    const line = typeof given === "string" ? jsonIn(given) : given;
    if (line === null) return [unparsed("no JSON", given)];
    const kind = becomes(line);
    if (kind === null) return [unparsed(`unknown line ${lineName(line)}`, given)];
    if (!this.#isNew(line)) return [];
    if (kind === "said") return this.#said(line) ?? [unparsed(`a ${lineName(line)} without what it is about`, given)];
    return "status" in kind ? statusSays(line, kind.status) : [];
  }

  #isNew(line: Json): boolean {
    const id = asText(line.uuid) ?? asText(line.request_id);
    return id === null || this.#seen.add(`${lineName(line)} ${id}`);
  }

  /** Null when it lacks what it is about. */
  #said(line: Json): Heard[] | null {
    switch (line.type) {
      case "stream_event":
        return this.#of(line, (agent) => agent.event(line, this.#prompts.running));
      case "assistant":
        return this.#of(line, (agent) => agent.whole(line, this.#prompts.running));
      case "user":
        return this.#user(line);
      case "command_lifecycle":
        return this.#lifecycle(line);
      case "control_request":
        return this.#ask(line);
      case "control_cancel_request":
        return this.#takenBack(asText(line.request_id) ?? "");
      case "result":
        return this.#result(line);
      default:
        return line.subtype === "init" ? this.#started(line) : this.#status(line);
    }
  }

  #of(line: Json, says: (agent: AgentStream) => Said[] | null): Heard[] | null {
    const parent = asText(line.parent_tool_use_id);
    const name = parent === null ? "" : (asText(line.agent_id) ?? parent);
    const agent = this.#agents.get(name) ?? new AgentStream(parent, this.#calls);
    this.#agents.set(name, agent);
    return says(agent)?.map((said) => ofAgent(said, name)) ?? null;
  }

  #lifecycle(line: Json): Heard[] | null {
    const uuid = asText(line.command_uuid);
    if (uuid === null) return null;
    if (line.state === "queued" || line.state === "started") return this.#taken(uuid, null);
    const reason = endsWithoutTurn[asText(line.state) ?? ""];
    if (reason === undefined) return null;
    // One that joined a turn is over before it; one that the program knew already is over without any.
    if (!this.#prompts.end(uuid) || this.#prompts.count > 0 || this.#agents.has("")) return [];
    return [{ type: "rest", reason, queued: 0 }];
  }

  /** The text is not known before the replayed line where somebody else sent the prompt. */
  #taken(uuid: string, content: unknown): Heard[] {
    const text = this.#prompts.take(uuid);
    if (text === null) return [];
    const parts = promptParts(uuid, text === "" ? content : text);
    return [...(parts.length === 0 ? [] : [{ type: "prompt" as const, message: uuid, parts }]), { type: "busy" }];
  }

  #user(line: Json): Heard[] | null {
    const { content } = asObject(line.message) ?? {};
    const uuid = asText(line.uuid);
    const results = blocksOf(content).filter((block) => block.type === "tool_result");
    if (results.length > 0) return results.flatMap((block) => this.#toolResult(line, block));
    if (uuid === null) return null;
    if (line.isReplay === true) return this.#taken(uuid, content);
    const text = textOfBlocks(content);
    if (text.startsWith("[Request interrupted by user")) return this.#of(line, (agent) => agent.interrupt(uuid));
    const parent = asText(line.parent_tool_use_id);
    if (parent !== null && line.isSynthetic !== true) {
      const parts = promptParts(uuid, content);
      return this.#of(line, () => [{ type: "prompt", message: uuid, parts, parent: `call:${parent}` }]);
    }
    // What the program tells the model by itself: a summary, a reminder, the output of a command.
    return [{ type: "status", id: uuid, name: "note", value: { text } }];
  }

  #toolResult(line: Json, block: Json): Heard[] {
    const id = asText(block.tool_use_id) ?? "";
    const call = this.#calls.get(id);
    if (!call) return [unparsed("a result without its call", line)];
    this.#calls.delete(id);
    const result = asObject(line.tool_use_result) ?? {};
    const { refused, notRun } = notesOf(line, id);
    const rejected = this.#refused.delete(id) || refused;
    const { message, name, input } = call;
    const said: Said[] = [];
    if (block.is_error !== true) {
      const file = fileChange(name, input, result);
      const plan = this.#tasks.after(name, input, result);
      // The result may end its message, so these come first.
      if (file) said.push({ type: "file", message, file });
      if (plan !== null) said.push({ type: "plan", id: `plan:${id}`, value: plan });
    }
    const state = stateOfResult(block, input, rejected);
    return [
      ...this.#subagentEnds(id),
      ...(this.#of(line, (agent) => [
        ...(notRun !== "user-rejected" ? [] : rejected ? agent.finish() : agent.stopCall(call)),
        ...said,
        { type: "tool", message, call: id, name, state },
      ]) ?? []),
    ];
  }

  #subagentEnds(call: string): Heard[] {
    const own = [...this.#agents].filter(([, { parentCall }]) => parentCall === call);
    return own.flatMap(([name, agent]) => agent.finish().map((said) => ofAgent(said, name)));
  }

  #ask(line: Json): Heard[] | null {
    const said = askSays(line);
    if (said === null) return null;
    this.#asks.set(said.ask, said);
    return [ofAgent(said, asText(asObject(line.request)?.agent_id) ?? "")];
  }

  #takenBack(ask: string): Heard[] {
    const asked = this.#asks.get(ask);
    this.#asks.delete(ask);
    if (!asked) return [];
    if (asked.type === "permission") return [{ type: "permission_over", ask, outcome: "expired" }];
    return [{ type: "question_over", ask, outcome: "expired", answers: null }];
  }

  /** It comes with every turn, and says nothing new but for tool servers that are not there. */
  #started(line: Json): Heard[] | null {
    const id = asText(line.uuid);
    if (id === null) return null;
    const servers = missingServers(line);
    const before = this.#missing;
    this.#missing = JSON.stringify(servers);
    if (servers.length === 0 || this.#missing === before) return [];
    return [{ type: "status", id, name: "mcp", value: { servers }, failed: true }];
  }

  /** The program asks its model again: what that said before is whole. */
  #status(line: Json): Heard[] {
    if (line.status === "requesting") return this.#agents.get("")?.finish() ?? [];
    if (line.status === "compacting") return statusSays(line, "compacting");
    const failed = line.compact_result !== undefined && line.compact_result !== "success";
    return failed ? statusSays(line, "compaction", true) : [];
  }

  #result(line: Json): Heard[] | null {
    const named = asList(line.user_message_uuids).filter((uuid) => typeof uuid === "string");
    // Older versions do not name them: there the oldest prompt is the one that ended.
    const prompts = named.length > 0 || line.origin != null ? named : this.#prompts.oldest();
    for (const uuid of prompts) this.#prompts.end(uuid);
    const end = endOf(line);
    const said = [...this.#agents].flatMap(([name, agent]) => agent.finish().map((one) => ofAgent(one, name)));
    if (!this.#agents.get("")?.hasSpoken) said.push(...prompts.flatMap((uuid) => emptyTurn(uuid, end.error)));
    const used = turnUsage(line, this.#cost);
    if (typeof line.total_cost_usd === "number") this.#cost = line.total_cost_usd;
    if (used) said.push({ type: "turn_usage", ...used });
    if (end.error !== null) said.push({ type: "error", id: asText(line.uuid) ?? "", message: end.error, item: null });
    this.#forgetTurn();
    const reason = end.reason === null ? {} : { reason: end.reason };
    return [...said, { type: "rest", ...reason, queued: this.#prompts.count }];
  }

  /** Calls of a subagent in the background outlive the turn. */
  #forgetTurn(): void {
    this.#agents.clear();
    this.#asks.clear();
    this.#refused.clear();
    for (const [id, { ofSubagent }] of this.#calls) if (!ofSubagent) this.#calls.delete(id);
  }
}

/** A turn without a word has no row; the runtime's transcript shows it under the same id. */
function emptyTurn(prompt: string, error: string | null): Heard[] {
  const message = `${prompt}:end`;
  const ending = error === null ? null : { kind: "failed" as const, message: error };
  return [
    { type: "message", message, prompt },
    { type: "message_done", message, error: ending, usage: null },
  ];
}

function ofAgent(said: Said, name: string): Heard {
  return name === "" ? said : { ...said, nativeSession: name };
}

function unparsed(reason: string, line: string | Json): Heard {
  const raw = typeof line === "string" ? line : JSON.stringify(line);
  return { type: "unparsed", reason, raw: raw.slice(0, longestRaw) };
}
