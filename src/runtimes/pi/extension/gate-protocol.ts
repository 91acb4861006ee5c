/**
 * The protocol between Waybill and its extension inside pi. The extension asks by pi's own dialogs, whose titles carry the
 * ask as JSON, and adds entries to the session file that the transcript needs. Pure; both sides import it.
 */

/** The variable in pi's environment that holds the rules of the gate. */
export const rulesVariable = "WAYBILL_PI_RULES";

export type GateRules = {
  policy: "safe" | "trusted";
  /** Directories that no tool may touch. */
  denied: readonly string[];
  /** How many times pi may call the model in one turn. */
  maxSteps: number;
  /** The file that names the server of Waybill's own tools; absent where there are none. */
  toolsPath?: string;
};

/** The status that reports the loaded gate: without the gate no tool would be asked for. */
export const gateStatus = { key: "waybill", text: "gate" };

/** The key of the status that says that Waybill's own tools are missing; without a text they are there. */
export const missingToolsStatus = "waybill-tools";

/** The extension's own entries in the session file. */
export const refusedEntry = "waybill.refused";
export const grantedEntry = "waybill.granted";
export const stepLimitEntry = "waybill.step-limit";
export const failedEntry = "waybill.failed";

export const decisions = ["once", "always", "reject"] as const;

const reasonPrefix = "reject: ";

/** A rejection with a reason, as the answer to the dialog of a permission. */
export function rejectionFor(reason: string): string {
  return `${reasonPrefix}${reason}`;
}

/** Null for an answer without a reason. */
export function rejectionReason(answer: string | undefined): string | null {
  return answer?.startsWith(reasonPrefix) === true ? answer.slice(reasonPrefix.length) : null;
}

/** The title of a dialog of the extension. */
export type GateAsk =
  | { waybill: "permission"; call: string; tool: string; input: Readonly<Record<string, unknown>> }
  | { waybill: "question"; call: string; input: Readonly<Record<string, unknown>> };

/** What the extension reports without waiting for a response. */
export type GateNotification = { waybill: "step-limit"; steps: number };

export function stepLimitMessage(steps: number): string {
  return `pi asked its model ${steps} times in this turn, which is the limit (piAgentMaxSteps).`;
}
