/**
 * Translates the lines of one pi process into what all runtimes say. It holds what lines refer to: the message that is
 * being said, the calls that wait for their results, and whether the turn is over. The runtime tells it what the lines do
 * not have: the answer to an ask, a stop.
 *
 * It never throws. A line that it does not know, or that lacks what it is about, is told as `unparsed`. That the process
 * ended is for the runtime to say.
 */
import type { Said } from "../../../core/turn/signal.ts";
import type { TurnEndReason } from "../../../core/turn/universal-event.ts";
import type { Json } from "../../json-fields.ts";
import { asNumber, asObject, asText, jsonIn, textOfBlocks } from "../../json-fields.ts";
import type { AskAnswer } from "../../port.ts";
import { stepLimitMessage } from "../extension/gate-protocol.ts";
import { unreportedFailure } from "../extension/unreported-failure.ts";
import type { PiAsk } from "../process/asks.ts";
import { askIn, askSays } from "../process/asks.ts";
import { TurnWatch } from "../process/turn-state.ts";
import { fileChange } from "../session/file-change.ts";
import { messageId } from "../session/message-id.ts";
import { errorOf, isEmpty } from "../session/session-rows.ts";
import type { Call } from "./assistant-message.ts";
import { SpokenMessage } from "./assistant-message.ts";
import { becomes, eventName } from "./event-table.ts";

const longestRaw = 4000;

export class PiTranslator {
  readonly #session: string;
  readonly #watch = new TurnWatch();
  readonly #calls = new Map<string, Call>();
  readonly #asks = new Map<string, PiAsk>();
  #prompt: string | null = null;
  #message: SpokenMessage | null = null;
  /** The moment of the message that was whole last. */
  #endedAt: number | null = null;
  /** An error without a word: pi may try again, and only then is it known what it was. */
  #failure: Json | null = null;
  #retried: Json | null = null;
  #limit: string | null = null;
  #ends: TurnEndReason | null = null;
  #stopped = false;
  /** A person said no, which stops all that the message was to do. */
  #refused = false;
  #news = 0;

  constructor(session: string) {
    this.#session = session;
  }

  answered(ask: string, { decision, answers }: AskAnswer): Said[] {
    const asked = this.#asks.get(ask);
    if (!asked) return [];
    this.#asks.delete(ask);
    if (decision === "reject" && asked.call !== null) this.#refused = true;
    if (asked.kind === "permission") return [{ type: "permission_over", ask, outcome: decision }];
    const outcome = decision === "reject" ? "reject" : "answered";
    return [{ type: "question_over", ask, outcome, answers: outcome === "reject" ? null : (answers ?? []) }];
  }

  /** pi was asked to stop. */
  interrupted(): Said[] {
    this.#stopped = true;
    return [{ type: "stopped" }];
  }

  take(given: string): Said[] {
    const line = jsonIn(given);
    if (line === null) return [unparsed("no JSON", given)];
    const kind = becomes(line);
    if (kind === null) return [unparsed(`unknown line ${eventName(line)}`, given)];
    const rests = this.#watch.hear(line) === "rests";
    if (rests) return this.#rest();
    if (kind === "said") return this.#said(line) ?? [unparsed(`a ${eventName(line)} without what it is about`, given)];
    return "status" in kind ? [this.#status(kind.status, line)] : [];
  }

  /** Null when it lacks what it is about. */
  #said(line: Json): Said[] | null {
    switch (line.type) {
      case "agent_start":
        return [{ type: "busy" }];
      case "agent_end":
        return this.#over(line);
      case "message_start":
        return this.#prompted(asObject(line.message) ?? {});
      case "message_update":
        return this.#update(line);
      case "message_end":
        return this.#ended(asObject(line.message) ?? {});
      case "tool_execution_update":
      case "tool_execution_end":
        return this.#tool(line);
      case "auto_retry_start":
        this.#retried = this.#failure;
        this.#failure = null;
        return [this.#status("retry", line)];
      case "auto_retry_end":
        if (line.success === true) return [];
        // Given up, or stopped before it was tried again.
        this.#failure ??= this.#retried;
        return [this.#status("retry", line, true)];
      case "compaction_end":
        return [this.#status("compaction", line, asText(line.errorMessage) !== null)];
      case "extension_ui_request":
        return this.#dialog(line);
      default:
        return [];
    }
  }

  #prompted(message: Json): Said[] | null {
    if (asNumber(message.timestamp) === 0) return null;
    const id = messageId(this.#session, message);
    const text = textOfBlocks(message.content);
    this.#prompt = id;
    return [{ type: "prompt", message: id, parts: [{ type: "text", id: `${id}:text`, text }] }, { type: "busy" }];
  }

  #update(line: Json): Said[] | null {
    const message = asObject(line.message);
    const event = asObject(line.assistantMessageEvent);
    if (!message || !event) return null;
    return this.#spoken(message).update(event, message);
  }

  #spoken(message: Json): SpokenMessage {
    const id = messageId(this.#session, message);
    if (this.#message?.id !== id) this.#message = new SpokenMessage(id, this.#prompt, this.#calls);
    return this.#message;
  }

  #over(line: Json): Said[] {
    const failure = unreportedFailure(line, ({ timestamp }) => timestamp === this.#endedAt);
    return failure ? this.#ended(failure) : [];
  }

  #ended(message: Json): Said[] {
    this.#endedAt = asNumber(message.timestamp);
    const error = errorOf(message, this.#limit);
    if (!isEmpty(message) || error === null) {
      this.#ends = error === null ? "completed" : error.kind === "aborted" ? "aborted" : "error";
      return this.#spoken(message).whole(message, error);
    }
    if (error.kind === "failed" && message.stopReason === "error") {
      this.#failure = message;
      return [];
    }
    this.#ends = error.kind === "aborted" ? "aborted" : "error";
    // The stop belongs to what was said before it; in the transcript, too.
    if (error.kind === "aborted" && this.#message) return this.#message.stopped(error);
    return this.#spoken(message).whole(message, error);
  }

  #tool(line: Json): Said[] | null {
    const id = asText(line.toolCallId);
    const call = id === null ? undefined : this.#calls.get(id);
    if (id === null || !call) return null;
    const { message, name, input } = call;
    const result = asObject(line.result) ?? asObject(line.partialResult) ?? {};
    const output = textOfBlocks(result.content);
    const told = { type: "tool" as const, message, call: id, name };
    if (line.type === "tool_execution_update") return [{ ...told, state: { status: "running", input, output } }];
    this.#calls.delete(id);
    if (line.isError === true) {
      return [{ ...told, state: { status: "error", input, output, rejected: this.#refused } }];
    }
    const file = fileChange(name, input, asObject(result.details) ?? {});
    // The result may end its message, so the file comes first.
    return [
      ...(file ? [{ type: "file" as const, message, file }] : []),
      { ...told, state: { status: "completed", input, output } },
    ];
  }

  #dialog(line: Json): Said[] | null {
    if (line.method === "notify") return this.#notified(line);
    const ask = askIn(line);
    if (!ask) return null;
    this.#asks.set(ask.id, ask);
    return [askSays(ask)];
  }

  #notified(line: Json): Said[] {
    const news = jsonIn(asText(line.message) ?? "");
    if (news?.waybill !== "step-limit") return [this.#status("notice", line)];
    this.#limit = stepLimitMessage(asNumber(news.steps));
    return [];
  }

  #rest(): Said[] {
    const failed = this.#failure;
    const error = failed ? errorOf(failed, null) : null;
    const said = failed ? this.#spoken(failed).whole(failed, error) : [];
    const reason = this.#stopped ? "aborted" : failed ? "error" : (this.#ends ?? "completed");
    this.#forgetTurn();
    return [...said, { type: "rest", reason, queued: 0 }];
  }

  #forgetTurn(): void {
    this.#message = null;
    this.#prompt = null;
    this.#failure = null;
    this.#retried = null;
    this.#limit = null;
    this.#ends = null;
    this.#stopped = false;
    this.#calls.clear();
    this.#asks.clear();
    this.#refused = false;
  }

  #status(name: string, { type: _type, ...value }: Json, failed = false): Said {
    this.#news += 1;
    const id = `${this.#prompt ?? this.#session}:${name}:${this.#news}`;
    return { type: "status", id, name, value, ...(failed ? { failed } : {}) };
  }
}

function unparsed(reason: string, raw: string): Said {
  return { type: "unparsed", reason, raw: raw.slice(0, longestRaw) };
}
