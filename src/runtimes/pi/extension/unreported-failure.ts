/**
 * A turn that fails before the model is called, for example without a key, has no message: pi reports the error only at
 * the end of the turn, and writes nothing. Pure; both the extension and Waybill use it.
 */
import type { PiMessage } from "./pi-api.ts";

/** The failed message at the end of the turn, without content. Null if there is none, or if it was reported before. */
export function unreportedFailure(end: PiMessage, isReported: (message: PiMessage) => boolean): PiMessage | null {
  const last = Array.isArray(end.messages) ? (end.messages.at(-1) as PiMessage | undefined) : undefined;
  if (last?.role !== "assistant" || (last.stopReason !== "error" && last.stopReason !== "aborted")) return null;
  return isReported(last) ? null : { ...last, content: [] };
}
