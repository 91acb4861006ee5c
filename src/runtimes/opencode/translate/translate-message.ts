/** Translates messages: a prompt with all its parts, and the start and end of an assistant message. Pure. */
import type { PromptPart, SignalBody } from "../../../core/turn/signal.ts";
import type { AssistantMessage, Part, StoredMessage } from "../client/api.ts";
import { errorFrom, isRejection } from "../transcript/rows.ts";
import { fileValue, partSignals, subtaskValue } from "./translate-part.ts";

/**
 * A user message is a prompt only if it contains something other than the program's own parts. The program itself adds
 * a message that requests a compaction, and one that makes the agent continue after it.
 */
export function promptSignals(message: string, parts: readonly Part[], parent: string | null): SignalBody[] {
  if (parts.length === 0) return [];
  if (parts.every(isFromProgram)) return parts.flatMap(partSignals);
  return [{ type: "prompt", message, parts: parts.map(promptPart), ...(parent === null ? {} : { parent }) }];
}

export function messageSignals(
  { id: message, parentID: prompt }: AssistantMessage,
  parent: string | null,
): SignalBody[] {
  return [{ type: "message", message, prompt, ...(parent === null ? {} : { parent }) }];
}

export function isCompleted(info: AssistantMessage): boolean {
  return info.time.completed !== undefined;
}

export function messageEndSignals({
  id: message,
  error,
  tokens,
  cost,
  providerID,
  modelID,
}: AssistantMessage): SignalBody[] {
  const { input, output, reasoning, cache } = tokens;
  const counts = { input, output, reasoning, cacheRead: cache.read, cacheWrite: cache.write };
  const isUsed = cost > 0 || Object.values(counts).some((count) => count > 0);
  const usage = isUsed ? { tokens: counts, cost, model: `${providerID}/${modelID}` } : null;
  return [{ type: "message_done", message, error: errorFrom(error), usage }];
}

/** Whether this message is the last of its turn. */
export function endsTurn({ info, parts }: StoredMessage): boolean {
  if (info.role !== "assistant" || !isCompleted(info)) return false;
  if (info.error || info.finish !== "tool-calls") return true;
  return parts.some((part) => part.type === "tool" && part.state.status === "error" && isRejection(part.state.error));
}

function isFromProgram(part: Part): boolean {
  return part.type === "compaction" || (part.type === "text" && part.synthetic === true);
}

function promptPart(part: Part): PromptPart {
  const { id } = part;
  const json = (value: unknown): PromptPart => ({ type: "json", id, value });
  switch (part.type) {
    case "text":
      return part.synthetic === true ? json({ synthetic: part.text }) : { type: "text", id, text: part.text };
    case "file": {
      const isImage = part.mime.startsWith("image/");
      if (isImage) return { type: "image", id, mime: part.mime, name: part.filename ?? null };
      return json({ file: fileValue(part) });
    }
    case "agent":
      return json({ agent: part.name });
    case "subtask":
      return json({ subtask: subtaskValue(part) });
    default:
      return json(part);
  }
}
