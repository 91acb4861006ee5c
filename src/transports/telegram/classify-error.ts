/** What a failed call of the Bot API means for what was to be sent. Pure. */
import { GrammyError, HttpError } from "grammy";

export type SendProblem =
  /** Try again; after the time that the server named, where it did. */
  | { kind: "later"; afterMs: number | null; reason: string }
  | { kind: "thread_gone" }
  /** The message that was to be changed. */
  | { kind: "message_gone" }
  /** The message that was to be replied to. */
  | { kind: "reply_gone" }
  | { kind: "not_modified" }
  /** The text, an entity or a button was refused. */
  | { kind: "refused_content"; reason: string }
  /** The server does not know the method: it is older than the client. */
  | { kind: "unknown_method" }
  | { kind: "migrated"; to: number }
  /** Blocked, thrown out, or no such chat. */
  | { kind: "unreachable"; reason: string }
  /** The token is not good any more. */
  | { kind: "unauthorized" };

/** The server has named the time of the next try. */
export const tooManyRequests = "too_many_requests";

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
  // Telegram answers with 400 to much of what other methods answer with 403.
  if (/chat not found|not enough rights|no rights to send|write_forbidden|chat_restricted|deactivated/.test(words)) {
    return { kind: "unreachable", reason: description };
  }
  if (/method not found|unknown method/.test(words)) return { kind: "unknown_method" };
  return { kind: "refused_content", reason: description };
}
