/**
 * Translates the lines of one pi process to signals. It keeps the state that lines refer to: the current message, calls
 * without a result, and the state of the turn. The runtime adds facts that the lines lack: the answer to an ask, an
 * interrupt.
 *
 * It never throws. An unknown or malformed line becomes `unparsed`. The runtime reports the end of the process.
 */

import type { SignalBody } from "../../../core/turn/signal.ts";
import type { TurnEndReason } from "../../../core/turn/universal-event.ts";
import type { Json } from "../../json-fields.ts";
import { asNumber, asObject, asText, jsonIn, textOfBlocks } from "../../json-fields.ts";
import type { AskAnswer } from "../../port.ts";
import type { AskSignal } from "../../process-pool/asks.ts";
import { answeredSignal, askSignal } from "../../process-pool/asks.ts";
import type { LineRule, LineRules, LineTranslator } from "../../process-pool/signal-publisher.ts";
import { ruleFor, sameRule, unparsed } from "../../process-pool/signal-publisher.ts";
import { askIn } from "../asks.ts";
import { TurnState } from "../client.ts";
import { stepLimitMessage, unreportedFailure } from "../extension/gate-protocol.ts";
import { errorOf, isEmpty, messageId } from "../lines.ts";
import { piFileChange } from "../transcript/file-change.ts";
import type { ToolCallState } from "./assistant-message.ts";
import { AssistantMessage } from "./assistant-message.ts";

export class PiTranslator implements LineTranslator {
  readonly #session: string;
  readonly #turn = new TurnState();
  readonly #calls = new Map<string, ToolCallState>();
  readonly #asks = new Map<string, AskSignal>();
  #prompt: string | null = null;
  #message: AssistantMessage | null = null;
  /** The timestamp of the last completed message. */
  #completedAt: number | null = null;
  /** An error without output. pi may retry, so it is reported at the end of the turn. */
  #failure: Json | null = null;
  #retriedFailure: Json | null = null;
  #stepLimit: string | null = null;
  #endReason: TurnEndReason | null = null;
  #isInterrupted = false;
  /** Whether a person refused a call, which stops all calls of the message. */
  #isRefused = false;
  #statusCount = 0;

  constructor(session: string) {
    this.#session = session;
  }

  askAnswered(ask: string, answer: AskAnswer): SignalBody[] {
    const asked = this.#asks.get(ask);
    if (!asked) return [];
    this.#asks.delete(ask);
    // With a reason, the agent and the other calls of the message continue.
    const endsTurn = answer.decision === "reject" && answer.message === undefined;
    if (endsTurn && asked.call !== null) this.#isRefused = true;
    return [answeredSignal(asked, answer)];
  }

  interrupted(): SignalBody[] {
    this.#isInterrupted = true;
    return [{ type: "stopped" }];
  }

  translate(given: string, line: Json | null = jsonIn(given)): SignalBody[] {
    if (line === null) return [unparsed("no JSON", given)];
    const rule = eventRule(line);
    if (rule === null) return [unparsed(`unknown line ${eventName(line)}`, given)];
    if (this.#turn.receive(line) === "idle") return this.#turnEnded();
    if (rule !== "translate") return "status" in rule ? [this.#status(rule.status, line)] : [];
    return this.#translate(line) ?? [unparsed(`a ${eventName(line)} without a required field`, given)];
  }

  /** Null when the line lacks a required field. */
  #translate(line: Json): SignalBody[] | null {
    switch (line.type) {
      case "agent_start":
        return [{ type: "busy" }];
      case "agent_end":
        return this.#agentEnded(line);
      case "message_start":
        return this.#promptReceived(asObject(line.message) ?? {});
      case "message_update":
        return this.#update(line);
      case "message_end":
        return this.#messageEnded(asObject(line.message) ?? {});
      case "tool_execution_update":
      case "tool_execution_end":
        return this.#tool(line);
      case "auto_retry_start":
        this.#retriedFailure = this.#failure;
        this.#failure = null;
        return [this.#status("retry", line)];
      case "auto_retry_end":
        if (line.success === true) return [];
        // pi gave up, or was stopped before its retry.
        this.#failure ??= this.#retriedFailure;
        return [this.#status("retry", line, true)];
      case "compaction_end":
        return [this.#status("compaction", line, asText(line.errorMessage) !== null)];
      case "extension_ui_request":
        return this.#dialog(line);
      default:
        return [];
    }
  }

  #promptReceived(message: Json): SignalBody[] | null {
    if (asNumber(message.timestamp) === 0) return null;
    const id = messageId(this.#session, message);
    const text = textOfBlocks(message.content);
    this.#prompt = id;
    return [{ type: "prompt", message: id, parts: [{ type: "text", id: `${id}:text`, text }] }, { type: "busy" }];
  }

  #update(line: Json): SignalBody[] | null {
    const message = asObject(line.message);
    const event = asObject(line.assistantMessageEvent);
    if (!message || !event) return null;
    return this.#messageFor(message).update(event, message);
  }

  #messageFor(message: Json): AssistantMessage {
    const id = messageId(this.#session, message);
    if (this.#message?.id !== id) this.#message = new AssistantMessage(id, this.#prompt, this.#calls);
    return this.#message;
  }

  #agentEnded(line: Json): SignalBody[] {
    const failure = unreportedFailure(line, ({ timestamp }) => timestamp === this.#completedAt);
    return failure ? this.#messageEnded(failure) : [];
  }

  #messageEnded(message: Json): SignalBody[] {
    this.#completedAt = asNumber(message.timestamp);
    const error = errorOf(message, this.#stepLimit);
    if (!isEmpty(message) || error === null) {
      this.#endReason = error === null ? "completed" : error.kind === "aborted" ? "aborted" : "error";
      return this.#messageFor(message).complete(message, error);
    }
    if (error.kind === "failed" && message.stopReason === "error") {
      this.#failure = message;
      return [];
    }
    this.#endReason = error.kind === "aborted" ? "aborted" : "error";
    // The interrupt belongs to the message before it, as in the transcript.
    if (error.kind === "aborted" && this.#message) return this.#message.stopped(error);
    return this.#messageFor(message).complete(message, error);
  }

  #tool(line: Json): SignalBody[] | null {
    const id = asText(line.toolCallId);
    const call = id === null ? undefined : this.#calls.get(id);
    if (id === null || !call) return null;
    const { message, name, input } = call;
    const result = asObject(line.result) ?? asObject(line.partialResult) ?? {};
    const output = textOfBlocks(result.content);
    const tool = { type: "tool" as const, message, call: id, name };
    if (line.type === "tool_execution_update") return [{ ...tool, state: { status: "running", input, output } }];
    this.#calls.delete(id);
    if (line.isError === true) {
      return [{ ...tool, state: { status: "error", input, output, rejected: this.#isRefused } }];
    }
    const file = piFileChange(name, input, asObject(result.details) ?? {});
    // The result may end its message, so the file comes first.
    return [
      ...(file ? [{ type: "file" as const, message, file }] : []),
      { ...tool, state: { status: "completed", input, output } },
    ];
  }

  #dialog(line: Json): SignalBody[] | null {
    if (line.method === "notify") return this.#notified(line);
    const ask = askIn(line);
    if (!ask) return null;
    const signal = askSignal(ask);
    this.#asks.set(ask.id, signal);
    return [signal];
  }

  #notified(line: Json): SignalBody[] {
    const notification = jsonIn(asText(line.message) ?? "");
    if (notification?.waybill !== "step-limit") return [this.#status("notice", line)];
    this.#stepLimit = stepLimitMessage(asNumber(notification.steps));
    return [];
  }

  #turnEnded(): SignalBody[] {
    const failed = this.#failure;
    const error = failed ? errorOf(failed, null) : null;
    const signals = failed ? this.#messageFor(failed).complete(failed, error) : [];
    const reason = this.#isInterrupted ? "aborted" : failed ? "error" : (this.#endReason ?? "completed");
    this.#resetTurn();
    return [...signals, { type: "rest", reason, queued: 0 }];
  }

  #resetTurn(): void {
    this.#message = null;
    this.#prompt = null;
    this.#failure = null;
    this.#retriedFailure = null;
    this.#stepLimit = null;
    this.#endReason = null;
    this.#isInterrupted = false;
    this.#calls.clear();
    this.#asks.clear();
    this.#isRefused = false;
  }

  #status(name: string, { type: _type, ...value }: Json, failed = false): SignalBody {
    this.#statusCount += 1;
    const id = `${this.#prompt ?? this.#session}:${name}:${this.#statusCount}`;
    return { type: "status", id, name, value, ...(failed ? { failed } : {}) };
  }
}

const redundant = { ignore: "other lines report it" };

/**
 * The rule for each kind of line that pi prints in RPC mode. The names come from its documentation and from recorded
 * streams (0.73.1). An unknown line becomes `unparsed`, so that new kinds of lines in later versions do not go
 * unnoticed.
 */
export const piEventTable: LineRules = {
  ...sameRule("translate", "", "response agent_start agent_end message_update compaction_end"),
  ...sameRule("translate", "", "auto_retry_start auto_retry_end tool_execution_update tool_execution_end"),
  "message_start/user": "translate",
  "message_end/assistant": "translate",
  ...sameRule("translate", "extension_ui_request/", "select confirm input editor notify"),
  "message_end/custom": { status: "note" },
  compaction_start: { status: "compacting" },
  extension_error: { status: "extension_error" },
  ...sameRule(redundant, "", "turn_start turn_end tool_execution_start"),
  ...sameRule(redundant, "message_start/", "assistant toolResult custom"),
  ...sameRule(redundant, "message_end/", "user toolResult"),
  queue_update: { ignore: "Waybill queues prompts itself" },
  session_info_changed: { ignore: "the session's name" },
  thinking_level_changed: { ignore: "a setting; the model's reasoning itself is reported" },
  ...sameRule({ ignore: "about a screen" }, "extension_ui_request/", "setStatus setWidget setTitle set_editor_text"),
};

/** The name of a line in the table. */
export function eventName(line: Json): string {
  const type = asText(line.type) ?? "";
  if (type === "message_start" || type === "message_end")
    return `${type}/${asText(asObject(line.message)?.role) ?? ""}`;
  return type === "extension_ui_request" ? `${type}/${asText(line.method) ?? ""}` : type;
}

export function eventRule(line: Json): LineRule | null {
  return ruleFor(piEventTable, eventName(line));
}
