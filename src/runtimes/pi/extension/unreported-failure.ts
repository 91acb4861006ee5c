/**
 * A turn that breaks before its model can be asked, as when a key cannot be had, has no message: pi tells what was wrong
 * with the turn's end only, and writes nothing. Pure, and for both sides.
 */
import type { PiMessage } from "./pi-api.ts";

/** The message that the turn's end has and that was not said before it, as one that failed without a word. */
export function unreportedFailure(end: PiMessage, isSaid: (message: PiMessage) => boolean): PiMessage | null {
  const last = Array.isArray(end.messages) ? (end.messages.at(-1) as PiMessage | undefined) : undefined;
  if (last?.role !== "assistant" || (last.stopReason !== "error" && last.stopReason !== "aborted")) return null;
  return isSaid(last) ? null : { ...last, content: [] };
}
