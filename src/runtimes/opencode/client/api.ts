/**
 * The calls that Waybill makes to an OpenCode server. The server may answer with an empty body instead of JSON, or with
 * its web page and status 200 for an unknown path; both are errors here. Callers set the deadlines.
 */
import type {
  Agent,
  Message,
  Part,
  PermissionRequest,
  PermissionRule,
  QuestionRequest,
  Session,
  SessionStatus,
} from "@opencode-ai/sdk/v2/types";
import { AppError, messageOf } from "../../../platform/app-error.ts";
import type { HttpResponse } from "../../../platform/http-fetch.ts";
import { httpFetch } from "../../../platform/http-fetch.ts";
import { jsonIn } from "../../json-fields.ts";

export type * from "@opencode-ai/sdk/v2/types";
export type ToolPart = Extract<Part, { type: "tool" }>;
/** A message as the server stores it. */
export type StoredMessage = { info: Message; parts: readonly Part[] };
export type ModelChoice = { providerID: string; modelID: string };

export type PromptPart =
  | { id: string; type: "text"; text: string; synthetic?: true }
  | { id: string; type: "file"; mime: string; filename: string; url: string };

export type OpencodePrompt = {
  messageID: string;
  parts: readonly PromptPart[];
  agent?: string;
  model?: ModelChoice;
  /** Added after the agent's own instructions. */
  system?: string;
};

/** An MCP server over HTTP. `callMs` is how long a tool call may take. */
export type HttpTools = { url: string; token: string; callMs: number };

export type Address = { url: string; authorization: string | null };

/** `status` is 0 if there was no answer at all. */
export class OpencodeError extends Error {
  override readonly name = "OpencodeError";
  readonly status: number;
  /** OpenCode's name for the error; null if another program answered, such as a proxy. */
  readonly kind: string | null;
  constructor(status: number, message: string, { cause, kind = null }: { cause?: unknown; kind?: string | null } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.kind = kind;
  }
}

/** True only if OpenCode itself answered: a 404 from a proxy, or from another program on its port, proves nothing. */
export function isNotFound(error: unknown): boolean {
  return error instanceof OpencodeError && error.status === 404 && kindsOfNotFound.has(error.kind ?? "");
}

const kindsOfNotFound = new Set(["NotFoundError", "PermissionNotFoundError", "QuestionNotFoundError"]);

type Call = { method?: "GET" | "POST" | "PATCH"; directory?: string; body?: unknown; signal: AbortSignal };

export class OpencodeApi {
  readonly #address: () => Address | null;
  readonly #onSuspect: () => void;

  /** `address` is called for every request, since a restarted server may have a new address. */
  constructor(address: () => Address | null, onSuspect: () => void = () => {}) {
    this.#address = address;
    this.#onSuspect = onSuspect;
  }

  createSession(
    directory: string,
    body: { title: string; permission?: readonly PermissionRule[] },
    signal: AbortSignal,
  ): Promise<Session> {
    return this.#newSession("/session", { directory, body, signal });
  }

  /** Copies the session up to a message, or all of it. The server copies all of it if it does not find the message. */
  forkSession(id: string, directory: string, messageID: string | null, signal: AbortSignal): Promise<Session> {
    const body = messageID === null ? {} : { messageID };
    return this.#newSession(sessionPath(id, "/fork"), { directory, body, signal });
  }

  /** Null if the server does not know the session. */
  session(id: string, signal: AbortSignal): Promise<Session | null> {
    return orNull(this.#json<Session>(sessionPath(id), { signal }));
  }

  /**
   * The top-level sessions of a directory, most recently changed first. `/session` would omit sessions that were opened
   * before the directory became, or stopped being, a git repository. Both lists default to a limit of 100.
   */
  async sessions(directory: string, since: number, signal: AbortSignal): Promise<Session[]> {
    // The server decodes a directory twice.
    const query = { directory: directory.replaceAll("%", "%25"), start: String(since), limit: "1000000000" };
    const path = `/experimental/session?${new URLSearchParams({ ...query, roots: "true", archived: "true" })}`;
    return this.#list<Session>(path, { signal });
  }

  /** Appends rules to those of the session. Rules cannot be removed. */
  async addRules(sessionId: string, permission: readonly PermissionRule[], signal: AbortSignal): Promise<void> {
    await this.#text(sessionPath(sessionId), { method: "PATCH", body: { permission }, signal });
  }

  /** The root of the repository that contains a directory; `/` if there is none. */
  async worktree(directory: string, signal: AbortSignal): Promise<string> {
    return (await this.#json<{ worktree: string }>("/path", { directory, signal })).worktree;
  }

  /** The newest `limit` messages, oldest first, or all of them. Null if the server does not know the session. */
  messages(sessionId: string, limit: number | null, signal: AbortSignal): Promise<StoredMessage[] | null> {
    const query = limit === null ? "" : `?limit=${limit}`;
    return orNull(this.#list<StoredMessage>(sessionPath(sessionId, `/message${query}`), { signal }));
  }

  /** Null if the message is not stored. */
  message(sessionId: string, messageId: string, signal: AbortSignal): Promise<StoredMessage | null> {
    const path = sessionPath(sessionId, `/message/${encodeURIComponent(messageId)}`);
    return orNull(this.#json<StoredMessage>(path, { signal }));
  }

  /** The server answers before it stores the message, so success proves nothing. */
  async prompt(sessionId: string, body: OpencodePrompt, signal: AbortSignal): Promise<void> {
    await this.#text(sessionPath(sessionId, "/prompt_async"), { method: "POST", body, signal });
  }

  async abort(sessionId: string, signal: AbortSignal): Promise<void> {
    await this.#text(sessionPath(sessionId, "/abort"), { method: "POST", signal });
  }

  /** Does not include idle sessions. */
  statuses(directory: string, signal: AbortSignal): Promise<Record<string, SessionStatus>> {
    return this.#json("/session/status", { directory, signal });
  }

  permissions(directory: string, signal: AbortSignal): Promise<PermissionRequest[]> {
    return this.#list("/permission", { directory, signal });
  }

  questions(directory: string, signal: AbortSignal): Promise<QuestionRequest[]> {
    return this.#list("/question", { directory, signal });
  }

  async answerAsk(
    { id, directory, kind }: { id: string; directory: string; kind: "permission" | "question" },
    action: "reply" | "reject",
    body: unknown,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#text(`/${kind}/${encodeURIComponent(id)}/${action}`, { method: "POST", directory, body, signal });
  }

  agents(directory: string, signal: AbortSignal): Promise<Agent[]> {
    return this.#list("/agent", { directory, signal });
  }

  /** The models that can be used. */
  async models(directory: string, signal: AbortSignal): Promise<ModelChoice[]> {
    type Provider = { id: string; models: Record<string, unknown> };
    const { providers } = await this.#json<{ providers: Provider[] }>("/config/providers", { directory, signal });
    return providers.flatMap(({ id, models }) => Object.keys(models).map((modelID) => ({ providerID: id, modelID })));
  }

  /**
   * Adds an MCP server to a directory, or replaces the one with that name. Resolves to null if its tools can be used,
   * else to the reason. OpenCode forgets the entry when it reloads the directory.
   */
  async connectTools(name: string, tools: HttpTools, directory: string, signal: AbortSignal): Promise<string | null> {
    const { url, token, callMs: timeout } = tools;
    const headers = { Authorization: `Bearer ${token}` };
    const config = { type: "remote", url, headers, enabled: true, oauth: false, timeout };
    type Statuses = Record<string, { status: string; error?: string }>;
    const call: Call = { method: "POST", directory, body: { name, config }, signal };
    const { status, error } = (await this.#json<Statuses>("/mcp", call))[name] ?? { status: "missing" };
    return status === "connected" ? null : (error ?? status);
  }

  async disconnectTools(name: string, directory: string, signal: AbortSignal): Promise<void> {
    await this.#text(`/mcp/${encodeURIComponent(name)}/disconnect`, { method: "POST", directory, signal });
  }

  /** The body of the event stream for all directories. */
  async events(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const answer = await this.#send("/global/event", { signal });
    const type = answer.contentType ?? "nothing";
    if (type.startsWith("text/event-stream")) return chunksOf(answer, signal);
    await this.#reached(answer.text(), signal);
    throw this.#failure(answer.status, `/global/event returned ${type} instead of events`);
  }

  async #newSession(path: string, call: Call): Promise<Session> {
    const session = await this.#json<Session>(path, { method: "POST", ...call });
    if (typeof session.id === "string") return session;
    throw this.#failure(200, `${path} did not return a session`);
  }

  async #json<T>(path: string, call: Call): Promise<T> {
    const { status, text } = await this.#text(path, call);
    try {
      const parsed: unknown = JSON.parse(text);
      // Every answer is an object or a list.
      if (typeof parsed === "object" && parsed !== null) return parsed as T;
    } catch {
      // Reported below.
    }
    const what = text.trimStart().startsWith("<") ? "a web page" : text === "" ? "nothing" : "something else";
    throw this.#failure(status, `${path} returned ${what} instead of JSON`);
  }

  async #text(path: string, call: Call): Promise<{ status: number; text: string }> {
    const answer = await this.#send(path, call);
    return { status: answer.status, text: await this.#reached(answer.text(), call.signal) };
  }

  async #list<T>(path: string, call: Call): Promise<T[]> {
    const answer = await this.#json<T[]>(path, call);
    if (Array.isArray(answer)) return answer;
    throw this.#failure(200, `${path} did not return a list`);
  }

  async #send(path: string, { method = "GET", directory, body, signal }: Call): Promise<HttpResponse> {
    const address = this.#address();
    if (!address) throw new AppError({ code: "opencode_not_running", message: "OpenCode is not running." });
    const headers: Record<string, string> = { Accept: "application/json, text/event-stream" };
    if (address.authorization !== null) headers.Authorization = address.authorization;
    // A header value cannot hold every character of a path.
    if (directory !== undefined) headers["x-opencode-directory"] = encodeURIComponent(directory);
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const request = { method, headers, signal, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await this.#reached(httpFetch(new URL(path, address.url).href, request), signal);
    if (answer.ok) return answer;
    const { kind, detail } = await errorIn(answer);
    throw this.#failure(answer.status, `${path} returned status ${answer.status}${detail}`, { kind });
  }

  async #reached<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      signal.throwIfAborted();
      throw this.#failure(0, `OpenCode cannot be reached: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Suspects the server after answers that a healthy one never gives: none, a web page, a 5xx, a refused password. */
  #failure(status: number, message: string, details: { cause?: unknown; kind?: string | null } = {}): OpencodeError {
    const error = new OpencodeError(status, message, details);
    if (![400, 409].includes(status) && !isNotFound(error)) this.#onSuspect();
    return error;
  }
}

async function* chunksOf(answer: HttpResponse, signal: AbortSignal): AsyncIterable<Uint8Array> {
  try {
    yield* answer.chunks();
  } catch (error) {
    signal.throwIfAborted();
    throw new OpencodeError(0, `the event stream broke: ${messageOf(error)}`, { cause: error });
  }
}

function sessionPath(id: string, subpath = ""): string {
  return `/session/${encodeURIComponent(id)}${subpath}`;
}

async function orNull<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** The error in the response body. A web page or an empty body adds nothing to the status. */
async function errorIn(answer: HttpResponse): Promise<{ kind: string | null; detail: string }> {
  type Body = { name?: unknown; _tag?: unknown; message?: unknown; data?: { message?: unknown } };
  const { name, _tag, message, data } = (jsonIn(await answer.text().catch(() => "")) ?? {}) as Body;
  // Older routes have `name`, newer ones `_tag`.
  const kind = name ?? _tag;
  const words = data?.message ?? message ?? kind;
  return {
    kind: typeof kind === "string" ? kind : null,
    detail: typeof words === "string" ? `: ${words.slice(0, 200)}` : "",
  };
}
