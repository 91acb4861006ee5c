/**
 * The calls that Waybill makes to an OpenCode server. Tolerant, because the server is not strict: an empty body where
 * JSON was expected, or the web page with status 200 for a path that it does not know, is an error like any other and
 * never taken for an answer. Deadlines are the caller's.
 */
import type {
  Agent,
  AssistantMessage,
  Message,
  Part,
  PermissionRequest,
  PermissionRule,
  QuestionRequest,
  Session,
  SessionStatus,
} from "@opencode-ai/sdk/v2/types";
import { AppError, messageOf } from "../../../app-error.ts";

export type {
  Agent,
  AssistantMessage,
  Message,
  Part,
  PermissionRequest,
  PermissionRule,
  QuestionRequest,
  Session,
  SessionStatus,
};
export type MessageRow = { info: Message; parts: readonly Part[] };
export type ModelChoice = { providerID: string; modelID: string };

export type OpencodePrompt = {
  messageID: string;
  parts: readonly { id: string; type: "text"; text: string }[];
  agent?: string;
  model?: ModelChoice;
  /** Stands behind the agent's own instructions. */
  system?: string;
};

export type Address = { url: string; authorization: string | null };

/** What the server said, when it said no. `status` is 0 when there was no answer at all. */
export class OpencodeError extends Error {
  override readonly name = "OpencodeError";
  readonly status: number;
  /** OpenCode's own name for it, null where somebody else answered in its place. */
  readonly kind: string | null;
  constructor(status: number, message: string, { cause, kind = null }: { cause?: unknown; kind?: string | null } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.kind = kind;
  }
}

/**
 * That there is no such thing, by OpenCode's own word. A proxy in front of it, or whatever else has its port, may say
 * 404 as well, and then nothing is known.
 */
export function isNotFound(error: unknown): boolean {
  return error instanceof OpencodeError && error.status === 404 && kindsOfNotFound.has(error.kind ?? "");
}

const kindsOfNotFound = new Set(["NotFoundError", "PermissionNotFoundError", "QuestionNotFoundError"]);

type Call = { method?: "GET" | "POST" | "PATCH"; directory?: string; body?: unknown; signal: AbortSignal };

export class OpencodeApi {
  readonly #address: () => Address | null;

  /** Asked for every call, since a server that was restarted may be somewhere else. */
  constructor(address: () => Address | null) {
    this.#address = address;
  }

  health(signal: AbortSignal): Promise<{ healthy: boolean; version: string }> {
    return this.#json("/global/health", { signal });
  }

  async createSession(
    directory: string,
    body: { title: string; permission?: readonly PermissionRule[] },
    signal: AbortSignal,
  ): Promise<Session> {
    const session = await this.#json<Session>("/session", { method: "POST", directory, body, signal });
    if (typeof session.id === "string") return session;
    throw new OpencodeError(200, "/session was answered with something that is no session");
  }

  /** With what the session has before a message, or with everything; also when it has no such message. */
  async forkSession(id: string, directory: string, messageID: string | null, signal: AbortSignal): Promise<Session> {
    const path = `/session/${encodeURIComponent(id)}/fork`;
    const body = messageID === null ? {} : { messageID };
    const session = await this.#json<Session>(path, { method: "POST", directory, body, signal });
    if (typeof session.id === "string") return session;
    throw new OpencodeError(200, `${path} was answered with something that is no session`);
  }

  /** Null when the server does not know it. */
  session(id: string, signal: AbortSignal): Promise<Session | null> {
    return orNull(this.#json<Session>(`/session/${encodeURIComponent(id)}`, { signal }));
  }

  /** They come after those that the session has; nothing can be taken away. */
  async addRules(sessionId: string, permission: readonly PermissionRule[], signal: AbortSignal): Promise<void> {
    const path = `/session/${encodeURIComponent(sessionId)}`;
    await this.#send(path, { method: "PATCH", body: { permission }, signal });
  }

  /** The root of the repository around a directory; `/` where there is none. */
  async worktree(directory: string, signal: AbortSignal): Promise<string> {
    return (await this.#json<{ worktree: string }>("/path", { directory, signal })).worktree;
  }

  /** The newest `limit`, oldest first, or all of them. Null when the server does not know the session. */
  messages(sessionId: string, limit: number | null, signal: AbortSignal): Promise<MessageRow[] | null> {
    const query = limit === null ? "" : `?limit=${limit}`;
    return orNull(this.#list<MessageRow>(`/session/${encodeURIComponent(sessionId)}/message${query}`, { signal }));
  }

  /** Null when it is not stored. */
  message(sessionId: string, messageId: string, signal: AbortSignal): Promise<MessageRow | null> {
    const path = `/session/${encodeURIComponent(sessionId)}/message/${encodeURIComponent(messageId)}`;
    return orNull(this.#json<MessageRow>(path, { signal }));
  }

  /** Answered before the message is stored, so this alone proves nothing. */
  async prompt(sessionId: string, body: OpencodePrompt, signal: AbortSignal): Promise<void> {
    await this.#send(`/session/${encodeURIComponent(sessionId)}/prompt_async`, { method: "POST", body, signal });
  }

  async abort(sessionId: string, signal: AbortSignal): Promise<void> {
    await this.#send(`/session/${encodeURIComponent(sessionId)}/abort`, { method: "POST", signal });
  }

  /** Sessions that rest are not in it. */
  statuses(directory: string, signal: AbortSignal): Promise<Record<string, SessionStatus>> {
    return this.#json("/session/status", { directory, signal });
  }

  permissions(directory: string, signal: AbortSignal): Promise<PermissionRequest[]> {
    return this.#list("/permission", { directory, signal });
  }

  questions(directory: string, signal: AbortSignal): Promise<QuestionRequest[]> {
    return this.#list("/question", { directory, signal });
  }

  async replyPermission(
    id: string,
    directory: string,
    body: { reply: "once" | "always" | "reject"; message?: string },
    signal: AbortSignal,
  ): Promise<void> {
    await this.#send(`/permission/${encodeURIComponent(id)}/reply`, { method: "POST", directory, body, signal });
  }

  async replyQuestion(
    id: string,
    directory: string,
    answers: readonly (readonly string[])[],
    signal: AbortSignal,
  ): Promise<void> {
    const body = { answers };
    await this.#send(`/question/${encodeURIComponent(id)}/reply`, { method: "POST", directory, body, signal });
  }

  async rejectQuestion(id: string, directory: string, signal: AbortSignal): Promise<void> {
    await this.#send(`/question/${encodeURIComponent(id)}/reject`, { method: "POST", directory, signal });
  }

  agents(directory: string, signal: AbortSignal): Promise<Agent[]> {
    return this.#list("/agent", { directory, signal });
  }

  /** Models that can be used, by provider. */
  async models(directory: string, signal: AbortSignal): Promise<ModelChoice[]> {
    type Provider = { id: string; models: Record<string, unknown> };
    const { providers } = await this.#json<{ providers: Provider[] }>("/config/providers", { directory, signal });
    return providers.flatMap(({ id, models }) => Object.keys(models).map((modelID) => ({ providerID: id, modelID })));
  }

  /** The body of a stream of events of all directories. */
  async events(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const answer = await this.#send("/global/event", { signal });
    const type = answer.headers.get("Content-Type") ?? "nothing";
    if (answer.body && type.startsWith("text/event-stream")) return answer.body;
    throw new OpencodeError(answer.status, `/global/event was answered with ${type} instead of events`);
  }

  async #json<T>(path: string, call: Call): Promise<T> {
    const answer = await this.#send(path, call);
    const text = await answer.text();
    const parsed = parse(text);
    // Everything that is asked for is an object or a list of them.
    if (typeof parsed === "object" && parsed !== null) return parsed as T;
    const what = text.trimStart().startsWith("<") ? "a web page" : text === "" ? "nothing" : "something else";
    throw new OpencodeError(answer.status, `${path} was answered with ${what} instead of JSON`);
  }

  async #list<T>(path: string, call: Call): Promise<T[]> {
    const answer = await this.#json<T[]>(path, call);
    if (Array.isArray(answer)) return answer;
    throw new OpencodeError(200, `${path} was answered with something that is no list`);
  }

  async #send(path: string, { method = "GET", directory, body, signal }: Call): Promise<Response> {
    const address = this.#address();
    if (!address) throw new AppError({ code: "opencode_not_running", message: "OpenCode is not running." });
    const headers = new Headers({ Accept: "application/json, text/event-stream" });
    if (address.authorization !== null) headers.set("Authorization", address.authorization);
    // Header values are Latin letters only, and directories are not.
    if (directory !== undefined) headers.set("x-opencode-directory", encodeURIComponent(directory));
    if (body !== undefined) headers.set("Content-Type", "application/json");
    let answer: Response;
    try {
      const init = { method, headers, signal, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      answer = await fetch(new URL(path, address.url), init);
    } catch (error) {
      signal.throwIfAborted();
      throw new OpencodeError(0, `OpenCode cannot be reached: ${reasonOf(error)}`, { cause: error });
    }
    if (answer.ok) return answer;
    const { kind, words } = await saying(answer);
    const said = words === null ? "" : `: ${words}`;
    throw new OpencodeError(answer.status, `${path} was answered with status ${answer.status}${said}`, { kind });
  }
}

async function orNull<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return messageOf(cause ?? error);
}

/** The server's own words, as far as they are words: a page, or nothing, says no more than the status. */
async function saying(answer: Response): Promise<{ kind: string | null; words: string | null }> {
  const parsed = parse(await answer.text().catch(() => ""));
  type Said = { name?: unknown; _tag?: unknown; message?: unknown; data?: { message?: unknown } };
  const { name, _tag, message, data } = (parsed ?? {}) as Said;
  // Its older routes say `name`, its newer ones `_tag`.
  const kind = name ?? _tag;
  const words = data?.message ?? message ?? kind;
  return {
    kind: typeof kind === "string" ? kind : null,
    words: typeof words === "string" ? words.slice(0, 200) : null,
  };
}

/** Undefined for what is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
