/** Switches in the environment that change how the core behaves. */
import type { Policy } from "../../core/delivery/policy.ts";
import { watchdogSwitch } from "./environment-settings.ts";
import { fromEnvironment } from "./values.ts";

/** `WAYBILL_WATCHDOG=0` stops every automatic second prompt. Reads still need proof. */
export function withSwitches(policy: Policy, env: NodeJS.ProcessEnv): Policy {
  const found = fromEnvironment(watchdogSwitch, env);
  return found?.value === false ? { ...policy, automaticRetry: false } : policy;
}
