/**
 * What a runtime says about itself: everything that configuration, service, command line, doctor and documents need to
 * know of it. Each runtime's folder exports one descriptor, and registry.ts lists them.
 */
import { z } from "zod";
import { AppError } from "../app-error.ts";
import type { Clock } from "../clock.ts";
import type { Lane } from "../core/lane/lane.ts";
import type { RuntimeIds, RuntimeTraits } from "../core/transcript/transcript.ts";
import type { Check } from "../doctor-check.ts";
import { nearest } from "../nearest.ts";
import type { Settings } from "../setting-types.ts";
import type { PostMessage, Runtime } from "./port.ts";

const action = z.enum(["ask", "allow", "deny"]);

/** One of two words for every runtime, or a table in the form of OpenCode's own `permission`. */
export const permissionPolicy = z
  .union([z.enum(["safe", "trusted"]), z.record(z.string(), z.union([action, z.record(z.string(), action)]))])
  .meta({ words: "`safe`, `trusted`, or a table of `ask`, `allow` and `deny` as OpenCode's own `permission`" });

export type PermissionPolicy = z.output<typeof permissionPolicy>;

/** What the tools of a lane's agent may do: the policy, and which directories are denied in any case. */
export type Permissions = {
  policy: PermissionPolicy;
  stateDirectories: readonly string[];
  otherDirectories: readonly string[];
};

type Log = (fields: object, message: string) => void;

/** Waybill's own tools for the agent of a lane: an MCP server over HTTP, and the token that says which lane calls. */
export type ToolServer = { url: string; token: string };

/** What a runtime gets from the daemon beside its own settings. */
export type RuntimeContext<LaneValues = object> = {
  env: NodeJS.ProcessEnv;
  /** Variables for the agent program alone, over everything else. */
  extraEnv: Readonly<Record<string, string>>;
  /** Waybill's state; each runtime keeps to files of its own in it. */
  stateDirectory: string;
  clock: Clock;
  log: { info: Log; warn: Log };
  onError: (error: unknown) => void;
  /** Whether a lane uses the runtime at the start. */
  isUsed: boolean;
  /** The runtime's own settings of configured lanes, by lane id. */
  laneSettings: Readonly<Record<string, LaneValues>>;
  systemPromptPath: string | undefined;
  permissionPolicy: PermissionPolicy;
  permissions: (lane: Lane) => Promise<Permissions>;
  /** When a session that rests is released, and how many may rest at a time. */
  idleMs: number;
  maxResting: number;
  postMessage: PostMessage;
  /** Null where the agents of lanes get no tools. Resolves once the daemon listens. */
  toolServer: (laneId: string) => Promise<ToolServer | null>;
};

export type AgentAndModel = Pick<Lane, "agent" | "model">;

/** The lanes that use the runtime, and what a check of them may use. */
export type DoctorContext = {
  env: NodeJS.ProcessEnv;
  stateDirectory: string;
  /** `directory` is null where the lane may not work, and nothing may be asked about it. */
  lanes: readonly (AgentAndModel & { id: string; directory: string | null })[];
  signal: AbortSignal;
};

/** Why a lane may not have this agent or model, whatever the program knows: "its `key` `reason`". */
export type LaneProblem = { key: keyof AgentAndModel; reason: string; hint: string };

/** A runtime whose settings are in order, and whose code is not loaded yet. */
export type PreparedRuntime = {
  /** Whether an earlier run left programs running: these cannot wait until a lane needs the runtime. */
  hasOrphans: boolean;
  load(): Promise<Runtime>;
};

/** The methods that not every runtime has. */
type OptionalMethod = "models" | "checkChoice" | "sessionsIn" | "checkAdoption" | "fork";

type ValuesOf<S extends Settings> = z.output<z.ZodObject<S>>;

export type RuntimeDescriptor<S extends Settings = Settings, L extends Settings = Settings> = {
  /** What lanes name. */
  kind: string;
  /** For people. */
  name: string;
  /** The value of `modelProvider` that makes it the default of lanes. */
  provider: string;
  /** What its program is called; null for a runtime without one. */
  program: string | null;
  traits: RuntimeTraits;
  idsFrom(digest: string): RuntimeIds;
  /** Those of the optional methods that the runtime has. */
  offers: readonly OptionalMethod[];
  /** Its keys of the configuration, which stand beside the daemon's own. */
  settings: S;
  /** Its keys of an entry of `lanes`. */
  laneSettings: L;
  laneProblem(choice: AgentAndModel): LaneProblem | null;
  /** Where an agent may name its own model, the configured one is not given to lanes that have an agent. */
  agentsNameModels?: true;
  /** Throws an `AppError` for what a person has to correct. The runtime itself is imported by `load` alone. */
  prepare(settings: ValuesOf<S>, context: RuntimeContext<z.input<z.ZodObject<L>>>): PreparedRuntime;
  /** Whether lanes could work, and what to do where they could not. Changes nothing. */
  doctor(settings: ValuesOf<S>, context: DoctorContext): Promise<Check[]>;
};

/** Infers the types of the settings, which a list of descriptors does not need. */
export function defineRuntime<const S extends Settings, const L extends Settings>(
  descriptor: RuntimeDescriptor<S, L>,
): RuntimeDescriptor {
  return descriptor;
}

const requiredParts = {
  kind: "string",
  name: "string",
  provider: "string",
  traits: "object",
  idsFrom: "function",
  offers: "object",
  settings: "object",
  laneSettings: "object",
  laneProblem: "function",
  prepare: "function",
  doctor: "function",
} as const satisfies Partial<Record<keyof RuntimeDescriptor, string>>;

/** Refuses a list that cannot work. Types prevent most of it, but a runtime may be written without them. */
export function checkDescriptors(descriptors: readonly RuntimeDescriptor[]): void {
  const seen = new Map<string, string>();
  const refuseTwice = (what: string, owner: string) => {
    const other = seen.get(what);
    if (other !== undefined) throw invalid(`${other} and ${owner} both have the ${what}`, "Rename one of them.");
    seen.set(what, owner);
  };
  for (const [index, descriptor] of descriptors.entries()) {
    const owner = `The runtime ${descriptor.kind ? `"${descriptor.kind}"` : `number ${index + 1}`}`;
    for (const [part, type] of Object.entries(requiredParts)) {
      const value = descriptor[part as keyof typeof requiredParts];
      if (typeof value === type && value !== null && value !== "") continue;
      throw invalid(`${owner} has no ${part}`, "src/runtimes/descriptor.ts lists what a descriptor must have.");
    }
    refuseTwice(`kind "${descriptor.kind}"`, owner);
    refuseTwice(`provider "${descriptor.provider}"`, owner);
    for (const key of Object.keys(descriptor.settings)) refuseTwice(`setting "${key}"`, owner);
  }
}

function invalid(what: string, hint: string): AppError {
  return new AppError({ code: "runtime_invalid", message: `${what} in the registry of runtimes.`, hint });
}

/** The descriptor of a kind; an `AppError` names the nearest one where there is none. */
export function descriptorOf(kind: string, descriptors: readonly RuntimeDescriptor[]): RuntimeDescriptor {
  const found = descriptors.find((one) => one.kind === kind);
  if (found) return found;
  const kinds = descriptors.map((one) => one.kind);
  const meant = nearest(kind, kinds);
  throw new AppError({
    code: "runtime_unknown",
    message: `There is no runtime "${kind}".`,
    hint: meant === null ? `Known runtimes: ${kinds.join(", ")}.` : `Did you mean "${meant}"?`,
  });
}

/** The lane's own choice. The configured model is for lanes that named none and may have it. */
export function withDefaultModel(
  { agentsNameModels }: RuntimeDescriptor,
  { agent, model }: AgentAndModel,
  modelName: string | null,
): AgentAndModel {
  const fits = agent === null || !agentsNameModels;
  return { agent, model: model ?? (fits ? modelName : null) };
}
