/**
 * Makes the descriptor of a runtime that starts one process of its program for each lane: its setting for the program,
 * what all such runtimes get from the daemon, and the doctor's checks.
 */
import { join } from "node:path";
import type { z } from "zod";
import type { Check } from "../../platform/doctor-check.ts";
import { ok } from "../../platform/doctor-check.ts";
import type { Settings } from "../../platform/setting-types.ts";
import { program as programSetting } from "../../platform/setting-types.ts";
import type { DoctorContext, RuntimeDescriptor } from "../descriptor.ts";
import { defineRuntime, modelsOf } from "../descriptor.ts";
import type { Runtime } from "../port.ts";
import type { ProgramFacts } from "./find-agent.ts";
import { agentProgram, locateAgent } from "./find-agent.ts";
import { hasProcessRecords } from "./process-record.ts";
import type { ProcessRuntimeOptions } from "./process-runtime.ts";

type ValuesOf<S extends Settings> = z.output<z.ZodObject<S>>;

export type ProcessRuntimeDefinition<S extends Settings> = Pick<
  RuntimeDescriptor<S>,
  "kind" | "provider" | "hasLogin" | "traits" | "idsFrom" | "offers" | "settings"
> & {
  program: ProgramFacts;
  /** The setting with the path of the program, and its variable. */
  bin: { key: string; env: string };
  laneProblem?: RuntimeDescriptor["laneProblem"];
  /** Imports the runtime. */
  load(options: ProcessRuntimeOptions, settings: ValuesOf<S>): Promise<Runtime>;
  /** Checks what lanes with these models need. Without it, the doctor only names the models. */
  checkModels?(settings: ValuesOf<S>, context: DoctorContext): Promise<Check>;
};

/** `agent` is what the runtime itself has in common with its descriptor. */
export type ProcessDescriptor = RuntimeDescriptor & { agent: ProcessRuntimeOptions["agent"] };

export function processRuntime<const S extends Settings>(definition: ProcessRuntimeDefinition<S>): ProcessDescriptor {
  const { kind, program: facts, bin, traits, idsFrom, settings, load, checkModels, laneProblem } = definition;
  const { name, command } = facts;
  const program = agentProgram(kind, facts, bin);
  const agent = { kind, traits, idsFrom, program };
  const description = `The ${name} program. Defaults to the one in PATH, then to the one installed for Waybill's tests.`;
  const configured = (values: Readonly<Record<string, unknown>>) => values[bin.key] as string;
  const { provider, hasLogin, offers } = definition;
  const descriptor = defineRuntime<Settings, Settings>({
    ...{ kind, name, provider, program: command, traits, idsFrom, offers, laneSettings: {} },
    ...(hasLogin ? { hasLogin } : {}),
    locate: (env) => locateAgent(program, command, env),
    settings: { [bin.key]: programSetting.default(command).meta({ env: bin.env, description }), ...settings },
    laneProblem: laneProblem ?? (() => null),
    prepare(values, context) {
      const { env, clock, systemPromptPath, toolServer, idleMs, maxResting, onError } = context;
      const directory = join(context.stateDirectory, kind);
      const options: ProcessRuntimeOptions = {
        ...{ agent, program: configured(values), env, directory, clock, toolServer, idleMs, maxResting, onError },
        ...(systemPromptPath === undefined ? {} : { systemPromptPath }),
        permissions: async (lane) => ({
          ...(await context.permissions(lane)),
          policy: context.permissionPolicy === "trusted" ? "trusted" : "safe",
        }),
      };
      return { hasOrphans: hasProcessRecords(directory), load: () => load(options, values as ValuesOf<S>) };
    },
    async doctor(values, context) {
      const { checkProgram } = await import("./check-program.ts");
      const models =
        checkModels?.(values as ValuesOf<S>, context) ?? ok(`model ${kind}`, `${modelsOf(context.lanes)}.`);
      return [await checkProgram(program, configured(values), context), await models];
    },
  });
  return { ...descriptor, agent };
}
