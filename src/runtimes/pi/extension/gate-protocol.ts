/**
 * The protocol between Waybill and its extension inside pi. The extension asks through pi's own dialogs, with the ask
 * as JSON in the title, and adds entries to the session file that the transcript needs. Pure; both sides import it.
 */
import type { PiMessage } from "./pi-api.ts";
/** The variable in pi's environment that holds the rules of the gate. */
export const rulesVariable = "WAYBILL_PI_RULES";

export type GateRules = {
  policy: "safe" | "trusted";
  /** Directories that no tool may touch. */
  denied: readonly string[];
  /** How many times pi may call the model in one turn. */
  maxSteps: number;
  /** The file that names the server of Waybill's own tools; absent if there are none. */
  toolsPath?: string;
};

/** The status that reports that the gate is loaded. Without the gate, tools would run unasked. */
export const gateStatus = { key: "waybill", text: "gate" };

/** The key of the status that reports that Waybill's own tools are missing; without text they are available. */
export const missingToolsStatus = "waybill-tools";

/** The extension's own entries in the session file. */
export const refusedEntry = "waybill.refused";
export const grantedEntry = "waybill.granted";
export const stepLimitEntry = "waybill.step-limit";
export const failedEntry = "waybill.failed";

export const decisions = ["once", "always", "reject"] as const;

const reasonPrefix = "reject: ";

/** A rejection with a reason, as the answer to a permission dialog. */
export function rejectionFor(reason: string): string {
  return `${reasonPrefix}${reason}`;
}

/** Null for an answer without a reason. */
export function rejectionReason(answer: string | undefined): string | null {
  return answer?.startsWith(reasonPrefix) === true ? answer.slice(reasonPrefix.length) : null;
}

/** The title of one of the extension's dialogs. */
export type GateAsk =
  | { waybill: "permission"; call: string; tool: string; input: Readonly<Record<string, unknown>> }
  | { waybill: "question"; call: string; input: Readonly<Record<string, unknown>> };

/** A report from the extension that needs no response. */
export type GateNotification = { waybill: "step-limit"; steps: number };

export function stepLimitMessage(steps: number): string {
  return `pi asked its model ${steps} times in this turn, which is the limit (piAgentMaxSteps).`;
}

/**
 * The failed message at the end of the turn, without content. Null if there is none, or if it was reported before. A
 * turn that fails before the model is called, for example without a key, has no message: pi reports the error only at
 * the end of the turn, and writes nothing.
 */
export function unreportedFailure(end: PiMessage, isReported: (message: PiMessage) => boolean): PiMessage | null {
  const last = Array.isArray(end.messages) ? (end.messages.at(-1) as PiMessage | undefined) : undefined;
  if (last?.role !== "assistant" || (last.stopReason !== "error" && last.stopReason !== "aborted")) return null;
  return isReported(last) ? null : { ...last, content: [] };
}
