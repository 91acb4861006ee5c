/**
 * The id of a message, in the transcript and in signals. pi's live events carry none, and its rows get theirs when they
 * are written; but both have the time at which the message began, which is unique for a role within a session. Pure.
 */
import type { Json } from "../../json-fields.ts";
import { asNumber, asText } from "../../json-fields.ts";

/** With the session, because the sessions of a lane share one event log. */
export function messageId(sessionId: string, message: Json): string {
  return `${sessionId.slice(-12)}-${asText(message.role) ?? ""}-${asNumber(message.timestamp)}`;
}
