/**
 * Translates the lines of one Claude Code process to signals. It keeps the state that lines refer to: open prompts, the
 * current message, calls without a result. The runtime adds facts that the lines lack: the text of a prompt, the answer
 * to an ask, an interrupt.
 *
 * It never throws. An unknown or malformed line becomes `unparsed`; a repeated line is translated once. The runtime
 * reports the end of the process.
 */

import { KnownIds } from "../../../core/turn/item-tracker.ts";
import type { SignalBody } from "../../../core/turn/signal.ts";
import type { TurnEndReason } from "../../../core/turn/universal-event.ts";
import type { Json } from "../../json-fields.ts";
import { asNumber, asObject, asText, blocksOf, jsonIn, textOfBlocks } from "../../json-fields.ts";
import type { AskAnswer } from "../../port.ts";
import type { AskSignal } from "../../process-pool/asks.ts";
import { answeredSignal, askSignal, expiredSignal } from "../../process-pool/asks.ts";
import type { AgentSignal, LineTranslator } from "../../process-pool/signal-publisher.ts";
import { unparsed } from "../../process-pool/signal-publisher.ts";
import { toolAskIn } from "../asks.ts";
import type { ToolResult } from "../lines.ts";
import {
  apiErrorStatus,
  endedPrompts,
  executionNote,
  isInterrupt,
  missingServers,
  resultState,
  resultsIn,
  statusSignal,
  turnEnd,
  turnUsage,
} from "../lines.ts";
import { promptParts } from "../prompt.ts";
import { claudeFileChange } from "../transcript/file-change.ts";
import type { ToolUse } from "./agent-stream.ts";
import { AgentStream } from "./agent-stream.ts";
import { lineName, lineRule } from "./line-table.ts";
import { OpenPrompts } from "./open-prompts.ts";
import { TaskList } from "./task-list.ts";

/** If a line is repeated, that happens soon, so only this many are remembered. */
const maxSeenLines = 5000;

/** How a prompt without a turn ends. The program reports `completed` for a prompt that it already knew. */
const endsWithoutTurn: Readonly<Record<string, TurnEndReason | undefined>> = {
  completed: "interrupted",
  cancelled: "aborted",
  discarded: "aborted",
  refused: "error",
};

export class ClaudeTranslator implements LineTranslator {
  readonly #seen = new KnownIds(maxSeenLines);
  readonly #prompts = new OpenPrompts();
  /** By name, which is empty for the lane's own agent. */
  readonly #agents = new Map<string, AgentStream>();
  readonly #calls = new Map<string, ToolUse>();
  readonly #asks = new Map<string, AskSignal>();
  readonly #refusedCalls = new Set<string>();
  readonly #tasks = new TaskList();
  #missingServers = "";
  #totalCost: number | null;

  /** The total cost of a resumed session is unknown before its first result. */
  constructor({ resumed = false }: { resumed?: boolean } = {}) {
    this.#totalCost = resumed ? null : 0;
  }

  promptSent(uuid: string, text: string): void {
    this.#prompts.sent(uuid, text);
  }

  askAnswered(ask: string, answer: AskAnswer): AgentSignal[] {
    const asked = this.#asks.get(ask);
    if (!asked) return [];
    this.#asks.delete(ask);
    if (answer.decision === "reject" && asked.call !== null) this.#refusedCalls.add(asked.call);
    return [answeredSignal(asked, answer)];
  }

  interrupted(): AgentSignal[] {
    return [{ type: "stopped" }];
  }

  translate(given: string | Json, line = typeof given === "string" ? jsonIn(given) : given): AgentSignal[] {
    if (line === null) return [unparsed("no JSON", given)];
    const rule = lineRule(line);
    if (rule === null) return [unparsed(`unknown line ${lineName(line)}`, given)];
    if (!this.#isNew(line)) return [];
    if (rule !== "translate") return "status" in rule ? [statusSignal(line, rule.status)] : [];
    return this.#translate(line) ?? [unparsed(`a ${lineName(line)} without a required field`, given)];
  }

  #isNew(line: Json): boolean {
    const id = asText(line.uuid) ?? asText(line.request_id);
    return id === null || this.#seen.add(`${lineName(line)} ${id}`);
  }

  /** Null when the line lacks a required field. */
  #translate(line: Json): AgentSignal[] | null {
    switch (line.type) {
      case "stream_event":
        return this.#forAgent(line, (agent) => agent.event(line, this.#prompts.running));
      case "assistant":
        return this.#forAgent(line, (agent) => agent.block(line, this.#prompts.running));
      case "user":
        return this.#user(line);
      case "command_lifecycle":
        return this.#lifecycle(line);
      case "control_request":
        return this.#askReceived(line);
      case "control_cancel_request":
        return this.#askExpired(asText(line.request_id) ?? "");
      case "result":
        return this.#turnEnded(line);
      default:
        return line.subtype === "init" ? this.#initialized(line) : this.#status(line);
    }
  }

  #forAgent(line: Json, translate: (agent: AgentStream) => SignalBody[] | null): AgentSignal[] | null {
    const parent = asText(line.parent_tool_use_id);
    const name = parent === null ? "" : (asText(line.agent_id) ?? parent);
    const agent = this.#agents.get(name) ?? new AgentStream(parent, this.#calls);
    this.#agents.set(name, agent);
    return translate(agent)?.map((body) => inSubagent(body, name)) ?? null;
  }

  #lifecycle(line: Json): AgentSignal[] | null {
    const uuid = asText(line.command_uuid);
    if (uuid === null) return null;
    if (line.state === "started") this.#prompts.started(uuid);
    if (line.state === "queued" || line.state === "started") return this.#promptQueued(uuid, null);
    const reason = endsWithoutTurn[asText(line.state) ?? ""];
    if (reason === undefined) return null;
    // A prompt that joined a turn ends before that turn does; one that the program already knew ends without a turn.
    if (!this.#prompts.end(uuid) || this.#prompts.count > 0 || this.#agents.has("")) return [];
    return [{ type: "rest", reason, queued: 0 }];
  }

  /** The text of a prompt that Waybill did not send is unknown until the program replays the prompt. */
  #promptQueued(uuid: string, content: unknown): AgentSignal[] {
    const text = this.#prompts.queued(uuid);
    if (text === null) return [];
    const parts = promptParts(uuid, text === "" ? content : text);
    return [...(parts.length === 0 ? [] : [{ type: "prompt" as const, message: uuid, parts }]), { type: "busy" }];
  }

  #user(line: Json): AgentSignal[] | null {
    const { content } = asObject(line.message) ?? {};
    const uuid = asText(line.uuid);
    const results = resultsIn(content);
    if (results.length > 0) return results.flatMap((result) => this.#toolResult(line, result));
    if (uuid === null) return null;
    if (line.isReplay === true) return this.#promptQueued(uuid, content);
    const text = textOfBlocks(content);
    if (isInterrupt(text)) return this.#forAgent(line, (agent) => agent.interrupt(uuid));
    const parent = asText(line.parent_tool_use_id);
    if (parent !== null && line.isSynthetic !== true) {
      const parts = promptParts(uuid, content);
      return this.#forAgent(line, () => [{ type: "prompt", message: uuid, parts, parent: `call:${parent}` }]);
    }
    // Text that the program adds for the model: a summary, a reminder, the output of a command.
    return [{ type: "status", id: uuid, name: "note", value: { text } }];
  }

  #toolResult(line: Json, given: ToolResult): AgentSignal[] {
    const id = given.call ?? "";
    const call = this.#calls.get(id);
    if (!call) return [unparsed("a result without its call", line)];
    this.#calls.delete(id);
    const result = asObject(line.tool_use_result) ?? {};
    const { refused, notRun } = executionNote(line, id);
    const rejected = this.#refusedCalls.delete(id) || refused;
    const { message, name, input } = call;
    const changes: SignalBody[] = [];
    if (!given.isError) {
      const file = claudeFileChange(name, input, result);
      const plan = this.#tasks.planAfter(name, input, result);
      // The result may end its message, so these come first.
      if (file) changes.push({ type: "file", message, file });
      if (plan !== null) changes.push({ type: "plan", id: `plan:${id}`, value: plan });
    }
    const state = resultState(given, input, rejected);
    return [
      ...this.#subagentReport(id, result),
      ...this.#finishSubagents(id),
      ...(this.#forAgent(line, (agent) => [
        ...(notRun !== "user-rejected" ? [] : rejected ? agent.finish() : agent.stopCall(call)),
        ...changes,
        { type: "tool", message, call: id, name, state },
      ]) ?? []),
    ];
  }

  /**
   * A subagent's lines lack its text. Its last words are in the result of its call, among notes that the program adds.
   */
  #subagentReport(call: string, result: Json): AgentSignal[] {
    const name = asText(result.agentId) ?? "";
    const agent = this.#agents.get(name);
    if (agent?.parentCall !== call) return [];
    const blocks = blocksOf(result.content);
    const end = blocks.length - asNumber(result.harnessTailCount);
    const content = blocks.slice(asNumber(result.harnessNoteCount), end).filter(({ type }) => type === "text");
    if (textOfBlocks(content).trim() === "") return [];
    const message = { id: `${call}:report`, model: result.resolvedModel, content };
    return (agent.block({ message }, null) ?? []).map((body) => inSubagent(body, name));
  }

  /** Finishes the subagents of this call, or all agents. */
  #finishSubagents(call?: string): AgentSignal[] {
    const agents = [...this.#agents].filter(([, { parentCall }]) => call === undefined || parentCall === call);
    return agents.flatMap(([name, agent]) => agent.finish().map((body) => inSubagent(body, name)));
  }

  #askReceived(line: Json): AgentSignal[] | null {
    const ask = toolAskIn(line);
    if (ask === null || ask.detail.tool === "") return null;
    const signal = askSignal(ask);
    this.#asks.set(ask.id, signal);
    return [inSubagent(signal, asText(asObject(line.request)?.agent_id) ?? "")];
  }

  #askExpired(ask: string): AgentSignal[] {
    const asked = this.#asks.get(ask);
    this.#asks.delete(ask);
    return asked ? [expiredSignal(asked)] : [];
  }

  /** `init` comes with every turn. Missing tool servers are the only news in it. */
  #initialized(line: Json): AgentSignal[] | null {
    const id = asText(line.uuid);
    if (id === null) return null;
    const servers = missingServers(line);
    const before = this.#missingServers;
    this.#missingServers = JSON.stringify(servers);
    if (servers.length === 0 || this.#missingServers === before) return [];
    return [{ type: "status", id, name: "mcp", value: { servers }, failed: true }];
  }

  /** A new request to the model completes the message before it. */
  #status(line: Json): AgentSignal[] {
    if (line.status === "requesting") return this.#agents.get("")?.finish() ?? [];
    if (line.status === "compacting") return [statusSignal(line, "compacting")];
    const failed = line.compact_result !== undefined && line.compact_result !== "success";
    return failed ? [statusSignal(line, "compaction", true)] : [];
  }

  #turnEnded(line: Json): AgentSignal[] {
    const prompts = endedPrompts(line, this.#prompts.open);
    for (const uuid of prompts) this.#prompts.end(uuid);
    // A result names only the prompts that came through the program's standard input.
    this.#prompts.endOthers();
    const { reason, error } = turnEnd(line);
    const signals = this.#finishSubagents();
    if (!this.#agents.get("")?.hasOutput) signals.push(...prompts.flatMap((uuid) => emptyTurn(uuid, error)));
    const usage = turnUsage(line, this.#totalCost);
    if (typeof line.total_cost_usd === "number") this.#totalCost = line.total_cost_usd;
    if (usage) signals.push({ type: "turn_usage", ...usage });
    if (error !== null) {
      const status = apiErrorStatus(error);
      signals.push({ type: "error", id: asText(line.uuid) ?? "", message: error, item: null, status });
    }
    this.#resetTurn();
    return [...signals, { type: "rest", ...(reason === null ? {} : { reason }), queued: this.#prompts.count }];
  }

  /** Keeps the calls of background subagents, which outlive the turn. */
  #resetTurn(): void {
    this.#agents.clear();
    this.#asks.clear();
    this.#refusedCalls.clear();
    for (const [id, { ofSubagent }] of this.#calls) if (!ofSubagent) this.#calls.delete(id);
  }
}

/** A turn without output has no row in the file; the transcript reader adds one with the same id. */
function emptyTurn(prompt: string, error: string | null): AgentSignal[] {
  const message = `${prompt}:end`;
  const failure = error === null ? null : { kind: "failed" as const, message: error, status: apiErrorStatus(error) };
  return [
    { type: "message", message, prompt },
    { type: "message_done", message, error: failure, usage: null },
  ];
}

function inSubagent(body: SignalBody, name: string): AgentSignal {
  return name === "" ? body : { ...body, nativeSession: name };
}
