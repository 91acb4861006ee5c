/** Switches in the environment that change how the core behaves. */
import type { Policy } from "../delivery/policy.ts";

/** `WAYBILL_WATCHDOG=0` stops every automatic second prompt. Reads still need proof. */
export function withSwitches(policy: Policy, env: NodeJS.ProcessEnv): Policy {
  return env.WAYBILL_WATCHDOG === "0" ? { ...policy, automaticRetry: false } : policy;
}
