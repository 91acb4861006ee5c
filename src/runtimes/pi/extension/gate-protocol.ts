/**
 * What Waybill and its extension inside pi say to each other. The extension asks by pi's own dialogs, whose titles carry
 * the ask as JSON, and writes into the session what the transcript would not show otherwise. Pure; both sides import it.
 */

/** In pi's environment: the rules of the gate. */
export const rulesVariable = "WAYBILL_PI_RULES";

export type GateRules = {
  policy: "safe" | "trusted";
  /** Places that no tool has any business with, with all that is in them. */
  denied: readonly string[];
  /** How many times the model may be asked in one turn. */
  maxSteps: number;
};

/** What stands in the program's status line once the gate is there: without it no tool would be asked for. */
export const gateStatus = { key: "waybill", text: "gate" };

/** Rows of the session file that are the extension's own. */
export const refusedEntry = "waybill.refused";
export const grantedEntry = "waybill.granted";
export const stepLimitEntry = "waybill.step-limit";
export const failedEntry = "waybill.failed";

export const decisions = ["once", "always", "reject"] as const;

/** The title of a dialog that is an ask of ours. */
export type GateAsk =
  | { waybill: "permission"; call: string; tool: string; input: Readonly<Record<string, unknown>> }
  | { waybill: "question"; call: string; input: Readonly<Record<string, unknown>> };

/** What the extension tells without waiting for anybody. */
export type GateNews = { waybill: "step-limit"; steps: number };

export function stepLimitMessage(steps: number): string {
  return `pi asked its model ${steps} times in this turn, which is the limit (piAgentMaxSteps).`;
}
