/**
 * Describes a runtime: everything that the configuration, service, command line, doctor and documents need to know
 * about it. Each runtime's folder exports one descriptor, and registry.ts lists them.
 */
import { z } from "zod";
import type { Lane } from "../core/lane/lane.ts";
import type { RuntimeIds, RuntimeTraits } from "../core/transcript/transcript.ts";
import { AppError } from "../platform/app-error.ts";
import type { Clock } from "../platform/clock.ts";
import type { Check } from "../platform/doctor-check.ts";
import { nearest } from "../platform/nearest.ts";
import type { Settings } from "../platform/setting-types.ts";
import type { PostMessage, Runtime } from "./port.ts";

const action = z.enum(["ask", "allow", "deny"]);

/** `safe` or `trusted` for any runtime, or a table in the format of OpenCode's own `permission`. */
export const permissionPolicy = z
  .union([z.enum(["safe", "trusted"]), z.record(z.string(), z.union([action, z.record(z.string(), action)]))])
  .meta({ words: "`safe`, `trusted`, or a table of `ask`, `allow` and `deny` like OpenCode's own `permission`" });

export type PermissionPolicy = z.output<typeof permissionPolicy>;

/** What a lane's agent may do with its tools: the policy, and the directories that are denied under any policy. */
export type Permissions = {
  policy: PermissionPolicy;
  stateDirectories: readonly string[];
  otherDirectories: readonly string[];
};

type Log = (fields: object, message: string) => void;

/** The names of Waybill's own tools for agents, as its MCP server offers them. Agents are allowed exactly these. */
export const ownTools = [
  "message_send",
  "message_list",
  "message_wait",
  "member_briefing",
  "team_list",
  "notify_person",
  "runtime_bootstrap_checkin",
  "runtime_heartbeat",
] as const;

/** Waybill's own tools for a lane's agent: an MCP server over HTTP, and the token that identifies the calling lane. */
export type ToolServer = { url: string; token: string };

/** What a runtime gets from the daemon in addition to its own settings. */
export type RuntimeContext<LaneValues = object> = {
  env: NodeJS.ProcessEnv;
  /** Variables for the agent program only. They override everything else. */
  extraEnv: Readonly<Record<string, string>>;
  /** Waybill's state directory; each runtime uses only its own files in it. */
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
  /** After how long an idle session is released, and how many may be idle at a time. */
  idleMs: number;
  maxResting: number;
  postMessage: PostMessage;
  /** Null if the agents of lanes get no tools. Resolves once the daemon listens. */
  toolServer: (laneId: string) => Promise<ToolServer | null>;
};

export type AgentAndModel = Pick<Lane, "agent" | "model">;

/** The models of lanes, with `fallback` for lanes that name none. */
export function modelsOf(lanes: readonly AgentAndModel[], fallback: string | null = null): string {
  return [...new Set(lanes.map(({ model }) => model ?? fallback ?? "left to the program"))].join(", ");
}

/** The lanes that use the runtime, and what the doctor's checks need. */
export type DoctorContext = {
  env: NodeJS.ProcessEnv;
  stateDirectory: string;
  /** `directory` is null if the lane is not allowed to work there. Then the checks skip it. */
  lanes: readonly (AgentAndModel & { id: string; directory: string | null })[];
  signal: AbortSignal;
};

/** Why a lane may never have this agent or model, even if the program knows it. Shown as "its `key` `reason`". */
export type LaneProblem = { key: keyof AgentAndModel; reason: string; hint: string };

/** A runtime with valid settings that is not loaded yet. */
export type PreparedRuntime = {
  /** Whether an earlier run left programs running. Then the runtime is loaded even if no lane needs it yet. */
  hasOrphans: boolean;
  load(): Promise<Runtime>;
};

/** The optional methods of a runtime. */
type OptionalMethod = "models" | "checkChoice" | "sessionsIn" | "checkAdoption" | "fork";

/** What a runtime and its descriptor have in common. A runtime gets it when it is made. */
export type RuntimeIdentity = Pick<RuntimeDescriptor, "kind" | "traits" | "idsFrom">;

type ValuesOf<S extends Settings> = z.output<z.ZodObject<S>>;

export type RuntimeDescriptor<S extends Settings = Settings, L extends Settings = Settings> = {
  /** The value of a lane's `runtime`. */
  kind: string;
  /** The name that people see. */
  name: string;
  /** The value of `modelProvider` that makes this the default runtime for lanes. */
  provider: string;
  /** The name of its program; null for a runtime without one. */
  program: string | null;
  /** The path of its program, unless the configuration names another; null if it is missing. */
  locate?(env: NodeJS.ProcessEnv): string | null;
  /** Whether the program has an account or a key; null if only the program itself knows. */
  hasLogin?(env: NodeJS.ProcessEnv): Promise<boolean | null>;
  /**
   * The path of its program, which has a terminal UI for servers of OpenCode's API, as Waybill is one. Throws an
   * `AppError` if the program cannot be used.
   */
  terminal?(
    settings: Readonly<Record<string, unknown>>,
    context: Pick<DoctorContext, "env" | "signal">,
  ): Promise<string>;
  traits: RuntimeTraits;
  idsFrom(digest: string): RuntimeIds;
  /** The optional methods that the runtime implements. */
  offers: readonly OptionalMethod[];
  /** Its keys in the configuration, next to the daemon's own. */
  settings: S;
  /** Its keys in an entry of `lanes`. */
  laneSettings: L;
  laneProblem(choice: AgentAndModel): LaneProblem | null;
  /** Agents may name their own model, so lanes with an agent do not get the configured default model. */
  agentsNameModels?: true;
  /** Throws an `AppError` for anything that a person has to correct. Only `load` imports the runtime itself. */
  prepare(settings: ValuesOf<S>, context: RuntimeContext<z.input<z.ZodObject<L>>>): PreparedRuntime;
  /** Checks whether lanes can work, and says what to do if they cannot. Changes nothing. */
  doctor(settings: ValuesOf<S>, context: DoctorContext): Promise<Check[]>;
};

/** Infers the types of the settings, and returns the plain type that the registry lists. */
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

/** Refuses an invalid list. Types prevent most mistakes, but a runtime may be written without them. */
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

/** The descriptor of a kind. Throws an `AppError` that suggests the nearest kind if there is none. */
export function descriptorOf(kind: string, descriptors: readonly RuntimeDescriptor[]): RuntimeDescriptor {
  const found = descriptors.find((one) => one.kind === kind);
  if (found) return found;
  const kinds = descriptors.map((one) => one.kind);
  const meant = nearest(kind, kinds);
  throw new AppError({
    code: "runtime_unknown",
    message: `Unknown runtime "${kind}".`,
    hint: meant === null ? `Known runtimes: ${kinds.join(", ")}.` : `Did you mean "${meant}"?`,
  });
}

/** The lane's own choice, with the configured model if the lane names none and may have it. */
export function withDefaultModel(
  { agentsNameModels }: RuntimeDescriptor,
  { agent, model }: AgentAndModel,
  modelName: string | null,
): AgentAndModel {
  const fits = agent === null || !agentsNameModels;
  return { agent, model: model ?? (fits ? modelName : null) };
}
