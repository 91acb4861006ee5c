/** The descriptor of the scripted agent, for tests, demos and trying out Waybill. */
import { join } from "node:path";
import { ok } from "../../platform/doctor-check.ts";
import { defineRuntime } from "../descriptor.ts";
import { StubRuntime, stubIds, stubTraits } from "./runtime.ts";
import { stubScriptSchema } from "./script.ts";

export const stub = defineRuntime({
  kind: "stub",
  name: "Scripted agent",
  provider: "stub",
  program: null,
  traits: stubTraits,
  idsFrom: stubIds,
  offers: ["sessionsIn", "checkAdoption", "fork"],
  settings: {
    stubScript: stubScriptSchema.optional().meta({
      words: "a script of the stub agent",
      description: "What the scripted agent does in lanes without their own script, such as those of topics.",
    }),
  },
  laneSettings: {
    script: stubScriptSchema
      .optional()
      .meta({ words: "a script of the stub agent", description: "what the scripted agent does." }),
  },
  laneProblem: () => null,
  prepare({ stubScript }, { stateDirectory, clock, laneSettings, postMessage }) {
    const ofLanes = Object.entries(laneSettings).flatMap(([id, { script }]) => (script ? [[id, script] as const] : []));
    const scripts = { ...(stubScript ? { default: stubScript } : {}), ...Object.fromEntries(ofLanes) };
    const journalPath = join(stateDirectory, "stub.jsonl");
    return {
      // The stub runs in this process, and is small enough to be loaded with its descriptor.
      hasOrphans: false,
      load: async () => new StubRuntime({ journalPath, clock, scripts, postMessage }),
    };
  },
  doctor: async () => [ok("runtime stub", "The scripted agent needs no program and no model.")],
});
