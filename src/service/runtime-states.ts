/** Which programs work in lanes here, or are wanted to, and which models they are known to have. */
import { systemClock } from "../clock.ts";
import type { Lane } from "../core/lane/lane.ts";
import type { Runtime } from "../runtimes/port.ts";
import { withTimeout } from "../timeout.ts";
import type { Engine } from "./engine.ts";
import type { RuntimeState } from "./service.ts";

/** How long a program may take to list its models; those that lanes name are known without it. */
const patienceMs = 2000;
const never = new AbortController().signal;

export async function runtimeStates(
  { runtimes, store }: Engine,
  defaults: { runtime: string; model: string | null },
  directory?: string,
): Promise<RuntimeState[]> {
  const lanes = await store.lanes();
  const kinds = new Set([defaults.runtime, ...runtimes.keys(), ...lanes.map(({ runtime }) => runtime)]);
  const named = [defaults, ...lanes];
  return Promise.all(
    [...kinds].map(async (kind) => {
      const models = named.flatMap(({ runtime, model }) => (runtime === kind && model !== null ? [model] : []));
      const listed = await listedModels(runtimes.get(kind), lanes, directory);
      const isDefault = kind === defaults.runtime;
      return { kind, ready: runtimes.has(kind), isDefault, models: [...new Set([...models, ...listed])] };
    }),
  );
}

/**
 * A program that is asked about a directory reads what is configured there, and may run it. So it is asked only where it
 * works anyway.
 */
async function listedModels(
  runtime: Runtime | undefined,
  lanes: readonly Lane[],
  directory: string | undefined,
): Promise<readonly string[]> {
  const worksThere = lanes.some((lane) => lane.runtime === runtime?.kind && lane.directory === directory);
  if (!runtime?.models || directory === undefined || !worksThere) return [];
  const list = runtime.models.bind(runtime);
  try {
    return await withTimeout({ clock: systemClock, closing: never }, patienceMs, (signal) => list(directory, signal));
  } catch {
    // That a program cannot be reached is seen and told by whoever uses it; here only its list is missing.
    return [];
  }
}
