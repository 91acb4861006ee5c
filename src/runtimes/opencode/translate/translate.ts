/**
 * Translates OpenCode's events to signals. No I/O and no clock: the same events give the same signals. Stored rows go
 * through the same functions (`row-signals.ts`), so that events and rows can be mixed.
 */
import { KnownIds } from "../../../core/turn/item-tracker.ts";
import type { Signal, SignalBody } from "../../../core/turn/signal.ts";
import { permissionSignal, questionSignal } from "../asks.ts";
import type { Message, Part, PermissionRequest, QuestionRequest, SessionStatus } from "../client/api.ts";
import type { OpencodeEvent } from "../client/event-stream.ts";
import { errorFrom } from "../transcript/rows.ts";
import { subtaskSession } from "../transcript/subtask-usage.ts";
import { isPlan, partSignals } from "./translate-part.ts";
import { TranslationState } from "./translation-state.ts";

type Properties = OpencodeEvent["properties"];
type EventContext = { id: string; session: string; isRoot: boolean; state: TranslationState; properties: Properties };

const maxPublishedIds = 1000;

export class OpencodeTranslator {
  readonly #rootOf: (sessionId: string) => string;
  readonly #states = new Map<string, TranslationState>();
  /** Detects repeats of things without other state: errors, unknown events, the start and end of a session. */
  readonly #published = new KnownIds(maxPublishedIds);

  /** `rootOf` returns the top-level session, or the session itself if that is unknown. */
  constructor(rootOf: (sessionId: string) => string) {
    this.#rootOf = rootOf;
  }

  translate(event: OpencodeEvent, at: number): Signal[] {
    const { id = "", type, properties } = event;
    const { sessionID: session } = properties;
    const handling = eventHandling[type];
    if (typeof session !== "string" || handling === "duplicate" || handling === "ignored") return [];
    const root = this.#rootOf(session);
    const isRoot = root === session;
    const origin = { at, session: root, ...(isRoot ? {} : { nativeSession: session }) };
    const bodies = this.#parse(type, { id, session, isRoot, state: this.state(session), properties });
    return bodies.map((body): Signal => ({ ...origin, ...body }));
  }

  state(session: string): TranslationState {
    const known = this.#states.get(session) ?? new TranslationState();
    this.#states.set(session, known);
    return known;
  }

  forget(session: string): void {
    this.#states.delete(session);
  }

  /** True the first time, since the start and the end of a session are published once. */
  isFirst(what: "started" | "ended", session: string): boolean {
    return this.#published.add(`${what}:${session}`);
  }

  /** A tool call names the session that works for it. */
  link(part: Part): void {
    const child = subtaskSession(part);
    if (part.type === "tool" && child !== null) this.state(child).parentCall = `call:${part.callID}`;
  }

  #parse(type: string, context: EventContext): SignalBody[] {
    try {
      if (eventHandling[type] !== undefined) return this.#bodies(type, context);
      return this.#unparsed(type, context, `unknown event ${type}`);
    } catch (error) {
      // Events do not always match the program's own types.
      if (!(error instanceof TypeError)) throw error;
      return this.#unparsed(type, context, `malformed ${type}: ${error.message}`);
    }
  }

  #unparsed(type: string, { id, properties }: EventContext, reason: string): SignalBody[] {
    if (id !== "" && !this.#published.add(id)) return [];
    return [{ type: "unparsed", reason, raw: JSON.stringify({ id, type, properties }) }];
  }

  #bodies(type: string, context: EventContext): SignalBody[] {
    const { properties, state, isRoot, session, id } = context;
    switch (type) {
      case "session.created":
        return isRoot && this.isFirst("started", session) ? [{ type: "session_started", resumed: false }] : [];
      case "session.deleted":
        return isRoot && this.isFirst("ended", session) ? [{ type: "session_ended", reason: "deleted" }] : [];
      case "session.status":
        return this.#status(context, properties.status as SessionStatus);
      case "session.idle":
        return this.#idle(context);
      case "session.error":
        return this.#error(context);
      case "message.updated":
        return this.#message(context, properties.info as Message);
      case "message.part.updated":
        return this.#part(context, properties.part as Part);
      case "message.part.delta":
        return deltaSignals(context);
      case "message.removed":
        state.drop(String(properties.messageID));
        return [removal("message_removed", properties.messageID)];
      case "message.part.removed":
        return [removal("part_removed", properties.partID)];
      case "todo.updated":
        // Usually a tool call wrote the plan, and its part contains it.
        return state.planCalls.size > 0 ? [] : [{ type: "plan", id: `plan:${id}`, value: properties.todos }];
      case "command.executed": {
        const { messageID, name, arguments: words } = properties;
        return [{ type: "status", id: `command:${messageID}`, name: "command", value: { name, arguments: words } }];
      }
      default:
        return askEventSignals(type, properties);
    }
  }

  #status(context: EventContext, status: SessionStatus): SignalBody[] {
    if (status.type === "idle") return this.#idle(context);
    const { state, isRoot, id } = context;
    state.idleBeforeEnd = false;
    const bodies: SignalBody[] = [...state.takePromptsWhileBusy(), ...(isRoot ? [{ type: "busy" as const }] : [])];
    if (status.type !== "retry") return bodies;
    const { attempt, message } = status;
    const retryId = `retry:${state.openMessage ?? id}:${attempt}`;
    return [...bodies, { type: "status", id: retryId, name: "retry", value: { attempt, message } }];
  }

  /** After an abort or an error the program reports idle, then the end of the message, then idle again. */
  #idle({ state, isRoot }: EventContext): SignalBody[] {
    const bodies = [...state.takeEnd(), ...state.takePrompts()];
    if (state.openMessage !== null) {
      state.idleBeforeEnd = true;
      return bodies;
    }
    state.endTurn();
    return isRoot ? [...bodies, { type: "rest" }] : bodies;
  }

  #message(context: EventContext, info: Message): SignalBody[] {
    const { state } = context;
    if (info.role === "user") {
      state.addPrompt(info.id);
      state.newestError = null;
      return [];
    }
    const bodies = state.addAssistant(info);
    return state.idleBeforeEnd && state.openMessage === null ? [...bodies, ...this.#idle(context)] : bodies;
  }

  #part({ state }: EventContext, part: Part): SignalBody[] {
    if (state.addPromptPart(part)) return [];
    // The start of the message was missed; the stored rows have all of it.
    if (!state.isAssistant(part.messageID)) return [];
    this.link(part);
    if (part.type === "text" || part.type === "reasoning") state.textParts.set(part.id, part.type);
    if (part.type === "tool" && isPlan(part)) {
      if (part.state.status === "pending" || part.state.status === "running") state.planCalls.add(part.callID);
      else state.planCalls.delete(part.callID);
    }
    return partSignals(part);
  }

  #error({ state, isRoot, id, properties }: EventContext): SignalBody[] {
    const error = errorFrom(properties.error as Parameters<typeof errorFrom>[0]);
    if (error === null || (id !== "" && !this.#published.add(id))) return [];
    if (error.kind === "aborted") return isRoot ? [{ type: "stopped" }] : [];
    const [message = "", ...trace] = error.message.split("\n");
    // An exception in the program is reported a second time, with its stack trace.
    const isRepeated = state.newestError !== null && trace.some((line) => line.trimStart().startsWith("at "));
    state.newestError = message;
    const { message: text, status } = error;
    return isRepeated ? [] : [...state.takePrompts(), { type: "error", id, message: text, item: null, status }];
  }
}

function deltaSignals({ state, properties }: EventContext): SignalBody[] {
  const { messageID, partID, field, delta } = properties as Record<string, string>;
  const kind = state.textParts.get(partID ?? "");
  if (field !== "text") throw new TypeError(`a delta of ${field}`);
  if (kind === undefined || messageID === undefined || partID === undefined || delta === undefined) return [];
  return [{ type: "delta", message: messageID, part: partID, kind, text: delta }];
}

function askEventSignals(type: string, properties: Properties): SignalBody[] {
  const ask = String(properties.requestID);
  switch (type) {
    case "permission.asked":
      return [permissionSignal(properties as PermissionRequest)];
    case "permission.replied":
      return [{ type: "permission_over", ask, outcome: properties.reply as "once" | "always" | "reject" }];
    case "question.asked":
      return [questionSignal(properties as QuestionRequest)];
    case "question.replied":
      return [{ type: "question_over", ask, outcome: "answered", answers: properties.answers as string[][] }];
    case "question.rejected":
      return [{ type: "question_over", ask, outcome: "reject", answers: null }];
    default:
      throw new TypeError("no translation");
  }
}

function removal(name: string, id: unknown): SignalBody {
  return { type: "status", id: `removed:${String(id)}`, name, value: { id } };
}

/** `duplicate`: another event with the same content is translated instead. `ignored`: not about a session's work. */
export type EventHandling = "translated" | "duplicate" | "ignored";

function each(handling: EventHandling, prefix: string, names: string): Record<string, EventHandling> {
  return Object.fromEntries(names.split(" ").map((name) => [`${prefix}${name}`, handling]));
}

/**
 * How each type of OpenCode event is handled. A test compares the table with OpenCode's own types, so a new version
 * cannot add a type unnoticed.
 */
export const eventHandling: Readonly<Record<string, EventHandling>> = {
  // Session events in the older form, which the translation uses.
  ...each("translated", "session.", "created deleted status idle error"),
  ...each("translated", "message.", "updated removed part.updated part.removed part.delta"),
  ...each("translated", "permission.", "asked replied"),
  ...each("translated", "question.", "asked replied rejected"),
  ...each("translated", "", "todo.updated command.executed"),
  // Title, usage totals, revert: not part of a turn.
  "session.updated": "ignored",
  // Repeats all changes since the session began. Tools and patches also name the message that made each change.
  "session.diff": "duplicate",
  // The transcript has it as a part of the prompt for the summary.
  "session.compacted": "duplicate",
  // The newer form of the same events. A session that is driven by the older API has both.
  ...each("duplicate", "session.next.", "agent.switched model.switched moved prompted prompt.admitted context.updated"),
  ...each("duplicate", "session.next.", "synthetic shell.started shell.ended step.started step.ended step.failed"),
  ...each("duplicate", "session.next.", "text.started text.delta text.ended"),
  ...each("duplicate", "session.next.", "reasoning.started reasoning.delta reasoning.ended"),
  ...each("duplicate", "session.next.", "tool.input.started tool.input.delta tool.input.ended"),
  ...each("duplicate", "session.next.", "tool.called tool.progress tool.success tool.failed retried"),
  ...each("duplicate", "session.next.", "compaction.started compaction.delta compaction.ended"),
  ...each("duplicate", "session.next.", "revert.staged revert.cleared revert.committed"),
  ...each("duplicate", "", "permission.v2.asked permission.v2.replied"),
  ...each("duplicate", "question.v2.", "asked replied rejected"),
  // About the server, a directory, a terminal or a screen.
  ...each("ignored", "", "models-dev.refreshed integration.updated integration.connection.updated catalog.updated"),
  ...each("ignored", "", "installation.updated installation.update-available file.edited file.watcher.updated"),
  ...each("ignored", "", "reference.updated plugin.added project.updated project.directories.updated"),
  ...each("ignored", "", "pty.created pty.updated pty.exited pty.deleted lsp.updated"),
  ...each("ignored", "tui.", "prompt.append command.execute toast.show session.select"),
  ...each("ignored", "", "mcp.tools.changed mcp.browser.open.failed vcs.branch.updated"),
  ...each("ignored", "", "workspace.ready workspace.failed workspace.status worktree.ready worktree.failed"),
  ...each("ignored", "", "server.connected server.instance.disposed global.disposed"),
  // Missing from OpenCode's types: a copy of each stored event, and the stream's heartbeat.
  sync: "duplicate",
  "server.heartbeat": "ignored",
};
