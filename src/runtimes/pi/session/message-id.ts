/**
 * The id of a message, in the transcript and in what is told of it. pi's live events carry none, and the ids of its rows
 * are made only when a row is written; but both have the moment at which the message began, which is its own within a
 * session and for its role. Pure.
 */
import type { Json } from "../../json-fields.ts";
import { asNumber, asText } from "../../json-fields.ts";

/** Sessions share a lane's log of events, so the session belongs to it. */
export function messageId(sessionId: string, message: Json): string {
  return `${sessionId.slice(-12)}-${asText(message.role) ?? ""}-${asNumber(message.timestamp)}`;
}
