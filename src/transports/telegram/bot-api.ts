/** Bot API clients with timeouts, made with grammY, and what a failed call means. They do not retry; the outbox does. */
import { Api, GrammyError, HttpError } from "grammy";
import type { TelegramSettings } from "./settings.ts";

type GrammySignal = Exclude<Parameters<Api["getMe"]>[0], undefined>;

type ClientSettings = Pick<TelegramSettings, "token" | "apiRoot"> &
  Partial<Pick<TelegramSettings, "longPollMs" | "callTimeoutMs">>;

export function botApi(settings: ClientSettings): { calls: Api; polls: Api } {
  const { token, apiRoot, longPollMs = 50_000, callTimeoutMs = 30_000 } = settings;
  const client = (timeoutMs: number) => new Api(token, { apiRoot, timeoutSeconds: timeoutMs / 1000 });
  return { calls: client(callTimeoutMs), polls: client(longPollMs + callTimeoutMs) };
}

/** grammY's types expect the signal of a polyfill. At run time it is the same as Node.js's own. */
export function grammySignal(signal: AbortSignal): GrammySignal {
  return signal as unknown as GrammySignal;
}

export type SendProblem =
  /** Try again, after the server's wait time if it named one. */
  | { kind: "later"; afterMs: number | null; reason: string }
  | { kind: "thread_gone" }
  /** The message to edit, delete or react to. */
  | { kind: "message_gone" }
  /** The message to reply to. */
  | { kind: "reply_gone" }
  | { kind: "not_modified" }
  /** The text, an entity or a button was refused. */
  | { kind: "refused_content"; reason: string }
  /** The server is older than the client and does not know the method. */
  | { kind: "unknown_method" }
  | { kind: "migrated"; to: number }
  /** The bot was blocked or removed, or the chat does not exist. */
  | { kind: "unreachable"; reason: string }
  /** The token is no longer valid. */
  | { kind: "unauthorized" };

/** The server named the time of the next try. */
export const tooManyRequests = "too_many_requests";

/** By what the sender can do about it. */
export function classifyError(error: unknown): SendProblem {
  if (error instanceof GrammyError) return ofResponse(error);
  if (error instanceof HttpError) return { kind: "later", afterMs: null, reason: "connection_failed" };
  throw error;
}

function ofResponse({ error_code: code, description: given, parameters }: GrammyError): SendProblem {
  const description = String(given ?? "no description");
  const words = description.toLowerCase();
  if (parameters.migrate_to_chat_id !== undefined) return { kind: "migrated", to: parameters.migrate_to_chat_id };
  if (code === 429) {
    return { kind: "later", afterMs: (parameters.retry_after ?? 1) * 1000, reason: tooManyRequests };
  }
  if (code === 401) return { kind: "unauthorized" };
  if (code === 403) return { kind: "unreachable", reason: description };
  if (code === 404) return { kind: "unknown_method" };
  if (code === 400) return ofBadRequest(words, description);
  return { kind: "later", afterMs: null, reason: `status_${code}` };
}

function ofBadRequest(words: string, description: string): SendProblem {
  if (words.includes("message is not modified")) return { kind: "not_modified" };
  if (words.includes("message thread not found") || words.includes("topic_deleted") || words.includes("topic_closed")) {
    return { kind: "thread_gone" };
  }
  if (/message to be replied not found|reply message not found|replied message not found/.test(words)) {
    return { kind: "reply_gone" };
  }
  if (/message (to edit|to delete|to react) not found|message can't be (edited|deleted)/.test(words)) {
    return { kind: "message_gone" };
  }
  // Telegram returns 400 for many cases that other methods report as 403.
  if (/chat not found|not enough rights|no rights to send|write_forbidden|chat_restricted|deactivated/.test(words)) {
    return { kind: "unreachable", reason: description };
  }
  if (/method not found|unknown method/.test(words)) return { kind: "unknown_method" };
  return { kind: "refused_content", reason: description };
}
