/** The waits of a Waybill whose agent is a real program with a model that answers immediately. */
import type { Policy } from "../../../src/core/delivery/policy.ts";
import { defaultPolicy } from "../../../src/core/delivery/policy.ts";

export const quickPolicy: Policy = {
  ...defaultPolicy,
  retryDelaysMs: [300],
  graceMs: 1500,
  graceForTaskMs: 1500,
  rereadMs: 200,
  firstReconcileDelayMs: 300,
  maxReconcileDelayMs: 1000,
  lateReconcileDelaysMs: [],
};
