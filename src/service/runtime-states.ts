/** The agent programs that lanes use or could use, and the models that are known of each. */
import type { Lane } from "../core/lane/lane.ts";
import type { Runtime } from "../runtimes/port.ts";
import type { Engine } from "./engine.ts";
import { callRuntime } from "./readiness.ts";
import type { RuntimeState } from "./service.ts";

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
      const runtime = runtimes.get(kind);
      const listed = await listedModels(runtime, lanes, directory);
      return {
        kind,
        ready: runtime !== undefined,
        isDefault: kind === defaults.runtime,
        models: [...new Set([...models, ...listed])],
        takesSystem: runtime?.traits.takesSystem ?? true,
      };
    }),
  );
}

/** To list models, a program reads what is configured in the directory and may run it: only where it works anyway. */
async function listedModels(
  runtime: Runtime | undefined,
  lanes: readonly Lane[],
  directory: string | undefined,
): Promise<readonly string[]> {
  const worksThere = lanes.some((lane) => lane.runtime === runtime?.kind && lane.directory === directory);
  if (!runtime?.models || directory === undefined || !worksThere) return [];
  const list = runtime.models.bind(runtime);
  try {
    return await callRuntime((signal) => list(directory, signal));
  } catch {
    // Reported where the program is used; here only its list is missing.
    return [];
  }
}
