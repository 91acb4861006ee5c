/**
 * A turn that fails before its model is called, as without a key, has no message: pi reports the error only with the end
 * of the turn, and writes nothing. Pure; the extension and Waybill use it.
 */
import type { PiMessage } from "./pi-api.ts";

/** The failed message of the turn's end that was not reported before, as an empty message. */
export function unreportedFailure(end: PiMessage, isReported: (message: PiMessage) => boolean): PiMessage | null {
  const last = Array.isArray(end.messages) ? (end.messages.at(-1) as PiMessage | undefined) : undefined;
  if (last?.role !== "assistant" || (last.stopReason !== "error" && last.stopReason !== "aborted")) return null;
  return isReported(last) ? null : { ...last, content: [] };
}
