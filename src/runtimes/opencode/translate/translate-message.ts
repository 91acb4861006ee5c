/** What messages say: a person's prompt with all its parts, and the beginning and the end of an assistant's. Pure. */
import type { PromptPart, Said } from "../../../core/turn/signal.ts";
import type { AssistantMessage, MessageRow, Part } from "../server/opencode-api.ts";
import { errorFrom } from "../transcript/transcript.ts";
import { fileValue, partSays, subtaskValue } from "./translate-part.ts";

/**
 * A user's message is a prompt only if somebody's words are in it. The program puts in others of its own: one that asks
 * for a compaction, and one that lets the agent go on after it.
 */
export function userSays(message: string, parts: readonly Part[], parent: string | null): Said[] {
  if (parts.length === 0) return [];
  if (parts.every(isOwn)) return parts.flatMap(partSays);
  const said = parts.map(promptPart);
  return [{ type: "prompt", message, parts: said, ...(parent === null ? {} : { parent }) }];
}

export function messageSays({ id: message, parentID: prompt }: AssistantMessage, parent: string | null): Said[] {
  return [{ type: "message", message, prompt, ...(parent === null ? {} : { parent }) }];
}

export function isCompleted(info: AssistantMessage): boolean {
  return info.time.completed !== undefined;
}

export function endSays({ id: message, error, tokens, cost, providerID, modelID }: AssistantMessage): Said[] {
  const { input, output, reasoning, cache } = tokens;
  const used = { input, output, reasoning, cacheRead: cache.read, cacheWrite: cache.write };
  const isUsed = cost > 0 || Object.values(used).some((count) => count > 0);
  const usage = isUsed ? { tokens: used, cost, model: `${providerID}/${modelID}` } : null;
  return [{ type: "message_done", message, error: errorFrom(error), usage }];
}

/** Whether nothing was to follow this row in its turn. */
export function endsTurn({ info, parts }: MessageRow): boolean {
  if (info.role !== "assistant" || !isCompleted(info)) return false;
  if (info.error || info.finish !== "tool-calls") return true;
  return parts.some((part) => part.type === "tool" && part.state.status === "error" && isRefusal(part));
}

function isRefusal(part: Part): boolean {
  return partSays(part).some((one) => one.type === "tool" && one.state.status === "error" && one.state.rejected);
}

function isOwn(part: Part): boolean {
  return part.type === "compaction" || (part.type === "text" && part.synthetic === true);
}

function promptPart(part: Part): PromptPart {
  const { id } = part;
  if (part.type === "text") {
    return part.synthetic === true
      ? { type: "json", id, value: { synthetic: part.text } }
      : { type: "text", id, text: part.text };
  }
  if (part.type === "file" && part.mime.startsWith("image/")) {
    return { type: "image", id, mime: part.mime, name: part.filename ?? null };
  }
  if (part.type === "file") return { type: "json", id, value: { file: fileValue(part) } };
  if (part.type === "agent") return { type: "json", id, value: { agent: part.name } };
  if (part.type === "subtask") return { type: "json", id, value: { subtask: subtaskValue(part) } };
  return { type: "json", id, value: part };
}
