/** Which programs work in lanes here, or are wanted to, and which models they are known to have. */
import type { RuntimeState } from "../transports/port.ts";
import type { Waybill } from "./compose.ts";

export async function runtimeStates(
  { runtimes, store }: Waybill,
  defaults: { runtime: string; model: string | null },
): Promise<RuntimeState[]> {
  const lanes = await store.lanes();
  const kinds = new Set([defaults.runtime, ...runtimes.keys(), ...lanes.map(({ runtime }) => runtime)]);
  const named = [defaults, ...lanes];
  return [...kinds].map((kind) => {
    const models = named.flatMap(({ runtime, model }) => (runtime === kind && model !== null ? [model] : []));
    return { kind, ready: runtimes.has(kind), isDefault: kind === defaults.runtime, models: [...new Set(models)] };
  });
}
