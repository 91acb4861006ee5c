/** The agent programs that lanes use or could use, and the known models of each. */
import type { Lane } from "../core/lane/lane.ts";
import type { Runtime } from "../runtimes/port.ts";
import type { Engine } from "./engine.ts";
import { callRuntime, runtimeProblem } from "./readiness.ts";
import type { RuntimePrograms, RuntimeState } from "./service.ts";

export async function runtimeStates(
  { runtimes, store }: Engine,
  defaults: { runtime: string; model: string | null },
  directory?: string,
): Promise<RuntimeState[]> {
  const lanes = await store.lanes();
  const kinds = kindsIn(runtimes, lanes, defaults);
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

/**
 * To list models, a program reads the directory's configuration and may run it: only where lanes of it already work.
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
    return await callRuntime((signal) => list(directory, signal));
  } catch {
    // Reported where the program is used; here only its list is missing.
    return [];
  }
}

/** What is running now. A runtime that no lane uses is not checked: that would load it. */
export async function runtimePrograms(
  { runtimes, store }: Engine,
  defaults: { runtime: string },
): Promise<Record<string, RuntimePrograms>> {
  const lanes = await store.lanes();
  const all = [...kindsIn(runtimes, lanes, defaults)].map(async (kind) => {
    const runtime = runtimes.get(kind);
    const users = lanes.filter((lane) => lane.runtime === kind);
    const problem = runtime && users.length === 0 ? null : await runtimeProblem(runtime, users);
    return [kind, { problem, programs: runtime?.programs?.() ?? [] }] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

function kindsIn(runtimes: Engine["runtimes"], lanes: readonly Lane[], defaults: { runtime: string }): Set<string> {
  return new Set([defaults.runtime, ...runtimes.keys(), ...lanes.map(({ runtime }) => runtime)]);
}
