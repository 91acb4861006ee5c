/**
 * Reads pi's messages, for transcript and signals alike: the lines that pi prints and the rows of its session files
 * contain the same ones. Pure.
 */
import type { RowError } from "../../core/transcript/transcript.ts";
import type { Json } from "../json-fields.ts";
import { asNumber, asObject, asText, blocksOf } from "../json-fields.ts";

/**
 * The id of a message, in the transcript and in signals. pi's live events carry no ids, and its rows get theirs only
 * when they are written. But both have the message's start time, which is unique per role within a session. The id
 * includes the session, since the sessions of a lane share one event log.
 */
export function messageId(sessionId: string, message: Json): string {
  return `${sessionId.slice(-12)}-${asText(message.role) ?? ""}-${asNumber(message.timestamp)}`;
}

export type MessageBlock =
  | { kind: "text" | "reasoning"; text: string }
  | { kind: "call"; id: string | null; name: string; input: Json };

export function messageBlocks({ content }: Json): MessageBlock[] {
  return blocksOf(content).flatMap((block): MessageBlock[] => {
    if (block.type === "text") return [{ kind: "text", text: asText(block.text) ?? "" }];
    if (block.type === "thinking") return [{ kind: "reasoning", text: asText(block.thinking) ?? "" }];
    return block.type === "toolCall" ? [callIn(block)] : [];
  });
}

export function callIn(block: Json): Extract<MessageBlock, { kind: "call" }> {
  const input = asObject(block.arguments) ?? {};
  return { kind: "call", id: asText(block.id), name: asText(block.name) ?? "", input };
}

export const isEmpty = (message: Json) => blocksOf(message.content).length === 0;

/** Null if pi reports none. `total` also counts kinds of tokens that have no field of their own. */
export function messageUsage({ usage, model }: Json) {
  const given = asObject(usage);
  if (!given) return null;
  const tokens = {
    input: asNumber(given.input),
    output: asNumber(given.output),
    reasoning: 0,
    cacheRead: asNumber(given.cacheRead),
    cacheWrite: asNumber(given.cacheWrite),
  };
  return {
    tokens,
    total: asNumber(given.totalTokens),
    cost: asNumber(asObject(given.cost)?.total),
    model: asText(model),
  };
}

/** `stepLimit` is the error message if the turn reached the limit of model calls. */
export function errorOf(message: Json, stepLimit: string | null): RowError | null {
  if (message.stopReason === "error") return failure(asText(message.errorMessage) ?? "error");
  if (message.stopReason !== "aborted") return null;
  return stepLimit === null ? { kind: "aborted", message: "stopped" } : { kind: "failed", message: stepLimit };
}

/** pi writes the HTTP status of a response before its body. */
function failure(message: string): RowError {
  const status = Number(/^(?:Error: )?([45]\d\d)\b/.exec(message)?.[1] ?? 0);
  return { kind: "failed", message, ...(status === 0 ? {} : { status }) };
}
