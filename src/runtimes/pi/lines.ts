/**
 * Reads the messages that pi prints and stores.
 */
/**
 * The id of a message, in the transcript and in signals. pi's live events carry no ids, and its rows get theirs only
 * when they are written. But both have the message's start time, which is unique per role within a session. Pure.
 */
import type { Json } from "../json-fields.ts";
import { asNumber, asText } from "../json-fields.ts";

/** Includes the session, since the sessions of a lane share one event log. */
export function messageId(sessionId: string, message: Json): string {
  return `${sessionId.slice(-12)}-${asText(message.role) ?? ""}-${asNumber(message.timestamp)}`;
}
