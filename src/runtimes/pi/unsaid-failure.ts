/**
 * A turn that breaks before its model can be asked, as when a key cannot be had, has no message: pi tells what was wrong
 * with the turn's end only, and writes nothing. Pure.
 */
import type { Json } from "../json-fields.ts";
import { asList, asObject, asText } from "../json-fields.ts";

/** The message that the turn's end has and that was not said before it, as one that failed without a word. */
export function unsaidFailure(end: Json, isSaid: (message: Json) => boolean): Json | null {
  const last = asObject(asList(end.messages).at(-1));
  if (last?.role !== "assistant" || !["error", "aborted"].includes(asText(last.stopReason) ?? "")) return null;
  return isSaid(last) ? null : { ...last, content: [] };
}
