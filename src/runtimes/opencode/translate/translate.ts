/**
 * What OpenCode's events say, as signals. No I/O and no clock: the same events give the same signals. What is stored is
 * said through the same functions (`tell-rows.ts`), so the two can take turns.
 */
import { KnownIds } from "../../../core/turn/item-tracker.ts";
import type { Said, Signal } from "../../../core/turn/signal.ts";
import type { FeedEvent } from "../server/event-stream.ts";
import type { Message, Part, PermissionRequest, QuestionRequest, SessionStatus } from "../server/opencode-api.ts";
import { SessionState } from "../session/session-state.ts";
import { errorFrom } from "../transcript/transcript.ts";
import { eventTable } from "./event-table.ts";
import { permissionSays, questionSays } from "./translate-ask.ts";
import { childOf, isPlan, partSays } from "./translate-part.ts";

export type TranslatorOptions = {
  /** The session at the top; the session itself where that is not known. */
  rootOf: (sessionId: string) => string;
};

type Heard = { id: string; session: string; isRoot: boolean; state: SessionState; properties: Properties };
type Properties = FeedEvent["properties"];

const errorsRemembered = 1000;

export class Translator {
  readonly #options: TranslatorOptions;
  readonly #states = new Map<string, SessionState>();
  /** Errors and unknown events have no other name by which a second one is known. */
  readonly #told = new KnownIds(errorsRemembered);

  constructor(options: TranslatorOptions) {
    this.#options = options;
  }

  /** Nothing, where the event is not about a session. */
  translate(event: FeedEvent, at: number): Signal[] {
    const becomes = eventTable[event.type];
    const session = sessionOf(event);
    if (session === null || becomes === "doubled" || becomes === "not_told") return [];
    const root = this.#options.rootOf(session);
    const isRoot = root === session;
    const id = event.id ?? "";
    const heard = { id, session, isRoot, state: this.state(session), properties: event.properties };
    const where = { at, session: root, ...(isRoot ? {} : { nativeSession: session }) };
    return this.#understood(event, heard).map((said): Signal => ({ ...where, ...said }));
  }

  state(session: string): SessionState {
    const known = this.#states.get(session) ?? new SessionState();
    this.#states.set(session, known);
    return known;
  }

  forget(session: string): void {
    this.#states.delete(session);
  }

  /** Whether nobody has said yet that this session is there. */
  starts(session: string): boolean {
    return this.#told.add(`started:${session}`);
  }

  /** Whether nobody has said yet that it is gone. */
  ends(session: string): boolean {
    return this.#told.add(`ended:${session}`);
  }

  /** A call says which session works for it. */
  link(part: Part): void {
    const child = part.type === "tool" ? childOf(part) : null;
    if (part.type === "tool" && child !== null) this.state(child).parentCall = `call:${part.callID}`;
  }

  #understood(event: FeedEvent, heard: Heard): Said[] {
    try {
      if (eventTable[event.type] !== undefined) return this.#says(event.type, heard);
      return this.#unparsed(event, heard, `unknown event ${event.type}`);
    } catch (error) {
      // The program's own types promise more than it keeps.
      if (!(error instanceof TypeError)) throw error;
      return this.#unparsed(event, heard, `${event.type} is not as expected: ${error.message}`);
    }
  }

  #unparsed(event: FeedEvent, { id }: Heard, reason: string): Said[] {
    const { type, properties } = event;
    if (id !== "" && !this.#told.add(id)) return [];
    return [{ type: "unparsed", reason, raw: JSON.stringify({ id, type, properties }) }];
  }

  #says(type: string, heard: Heard): Said[] {
    const { properties, state, isRoot, session, id } = heard;
    switch (type) {
      case "session.created":
        return isRoot && this.starts(session) ? [{ type: "session_started", resumed: false }] : [];
      case "session.deleted":
        return isRoot && this.ends(session) ? [{ type: "session_ended", reason: "deleted" }] : [];
      case "session.status":
        return this.#status(heard, properties.status as SessionStatus);
      case "session.idle":
        return this.#rests(heard);
      case "session.error":
        return this.#error(heard);
      case "message.updated":
        return this.#message(heard, properties.info as Message);
      case "message.part.updated":
        return this.#part(heard, properties.part as Part);
      case "message.part.delta":
        return deltaSays(heard);
      case "message.removed":
        state.forget(String(properties.messageID));
        return [removed("message_removed", properties.messageID)];
      case "message.part.removed":
        return [removed("part_removed", properties.partID)];
      case "todo.updated":
        // Mostly a call has written it, and says so itself.
        return state.planning.size > 0 ? [] : [{ type: "plan", id: `plan:${id}`, value: properties.todos }];
      case "command.executed": {
        const { messageID, name, arguments: words } = properties;
        return [{ type: "status", id: `command:${messageID}`, name: "command", value: { name, arguments: words } }];
      }
      default:
        return askSays(type, properties);
    }
  }

  #status(heard: Heard, status: SessionStatus): Said[] {
    if (status.type === "idle") return this.#rests(heard);
    const { state, isRoot, id } = heard;
    state.restsEarly = false;
    const said: Said[] = [...state.promptsAtWork(), ...(isRoot ? [{ type: "busy" as const }] : [])];
    if (status.type !== "retry") return said;
    const { attempt, message } = status;
    const name = `retry:${state.open ?? id}:${attempt}`;
    return [...said, { type: "status", id: name, name: "retry", value: { attempt, message } }];
  }

  /** After a stop or an error the program rests before it says how the message ended, and then once more. */
  #rests({ state, isRoot }: Heard): Said[] {
    const said = [...state.endings(), ...state.prompts()];
    if (state.open !== null) {
      state.restsEarly = true;
      return said;
    }
    state.rested();
    return isRoot ? [...said, { type: "rest" }] : said;
  }

  #message(heard: Heard, info: Message): Said[] {
    const { state } = heard;
    if (info.role === "user") {
      state.promptBegins(info.id);
      state.newestError = null;
      return [];
    }
    const said = state.assistant(info);
    return state.restsEarly && state.open === null ? [...said, ...this.#rests(heard)] : said;
  }

  #part({ state }: Heard, part: Part): Said[] {
    if (state.promptPart(part)) return [];
    // Its message began before anybody listened; the stored rows say it whole.
    if (!state.isAssistant(part.messageID)) return [];
    this.link(part);
    if (part.type === "text" || part.type === "reasoning") state.hearWords(part.id, part.type);
    if (part.type === "tool" && isPlan(part)) {
      if (part.state.status === "pending" || part.state.status === "running") state.planning.add(part.callID);
      else state.planning.delete(part.callID);
    }
    return partSays(part);
  }

  #error({ state, isRoot, id, properties }: Heard): Said[] {
    const error = errorFrom(properties.error as Parameters<typeof errorFrom>[0]);
    if (error === null || (id !== "" && !this.#told.add(id))) return [];
    if (error.kind === "aborted") return isRoot ? [{ type: "stopped" }] : [];
    const [message = "", ...trace] = error.message.split("\n");
    // What the program threw comes a second time, with where in its code that was.
    const isEcho = state.newestError !== null && trace.some((line) => line.trimStart().startsWith("at "));
    state.newestError = message;
    return isEcho ? [] : [...state.prompts(), { type: "error", id, message: error.message, item: null }];
  }
}

function deltaSays({ state, properties }: Heard): Said[] {
  const { messageID, partID, field, delta } = properties as Record<string, string>;
  const kind = state.wordsIn(partID ?? "");
  if (field !== "text") throw new TypeError(`a delta of ${field}`);
  if (kind === undefined || messageID === undefined || partID === undefined || delta === undefined) return [];
  return [{ type: "delta", message: messageID, part: partID, kind, text: delta }];
}

function askSays(type: string, properties: Properties): Said[] {
  const ask = String(properties.requestID);
  switch (type) {
    case "permission.asked":
      return [permissionSays(properties as PermissionRequest)];
    case "permission.replied":
      return [{ type: "permission_over", ask, outcome: properties.reply as "once" | "always" | "reject" }];
    case "question.asked":
      return [questionSays(properties as QuestionRequest)];
    case "question.replied":
      return [{ type: "question_over", ask, outcome: "answered", answers: properties.answers as string[][] }];
    case "question.rejected":
      return [{ type: "question_over", ask, outcome: "reject", answers: null }];
    default:
      throw new TypeError("nobody translates it");
  }
}

function removed(name: string, id: unknown): Said {
  return { type: "status", id: `removed:${String(id)}`, name, value: { id } };
}

function sessionOf({ properties }: FeedEvent): string | null {
  const { sessionID } = properties;
  return typeof sessionID === "string" ? sessionID : null;
}
