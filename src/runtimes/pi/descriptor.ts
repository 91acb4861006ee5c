/** pi's descriptor: its settings, how to start it, and its doctor checks. */
import { join } from "node:path";
import { ok, warning } from "../../platform/doctor-check.ts";
import { positive, program, secretText, text } from "../../platform/setting-types.ts";
import { defineRuntime } from "../descriptor.ts";
import { locateAgent } from "../process-pool/find-agent.ts";
import { hasProcessRecords } from "../process-pool/process-record.ts";
import { checkProgram, modelsOf } from "../program-checks.ts";
import { hasProviderKey } from "./environment.ts";
import { piIds, piProgram, piTraits } from "./traits.ts";

const kind = "pi";
const defaultProvider = "openrouter";

export const pi = defineRuntime({
  kind,
  name: piProgram.name,
  provider: "pi_agent",
  program: piProgram.command,
  locate: (env) => locateAgent(piProgram, piProgram.command, env),
  hasLogin: async (env) => hasProviderKey(env.PI_AGENT_PROVIDER || defaultProvider, env),
  traits: piTraits,
  idsFrom: piIds,
  offers: ["sessionsIn", "checkAdoption", "fork"],
  settings: {
    piBin: program.default(piProgram.command).meta({
      env: "PI_BIN",
      description: "The pi program. Defaults to the one in PATH, then to the one installed for Waybill's tests.",
    }),
    piAgentProvider: text.default(defaultProvider).meta({
      env: "PI_AGENT_PROVIDER",
      description: "The model provider that pi uses: a built-in one, or one from its own `models.json`.",
    }),
    piAgentModel: text.default("openrouter/auto").meta({
      env: "PI_AGENT_MODEL",
      description: "The model for lanes that name none.",
    }),
    piAgentApiKey: secretText.optional().meta({
      env: "PI_AGENT_API_KEY",
      description:
        "The API key for that provider, passed to pi in its environment. Without it, pi uses the provider's own variable (such as `OPENROUTER_API_KEY`) or its own login.",
    }),
    piAgentMaxSteps: positive.default(15).meta({
      env: "PI_AGENT_MAX_STEPS",
      description: "How often pi may call its model in one turn. A turn that needs more calls ends with an error.",
    }),
  },
  laneSettings: {},
  laneProblem: ({ agent }) =>
    agent === null ? null : { key: "agent", reason: `is "${agent}", but pi has no agents`, hint: "Leave it out." },
  prepare(settings, context) {
    const { env, clock, stateDirectory, systemPromptPath, toolServer, idleMs, maxResting, onError } = context;
    const directory = join(stateDirectory, kind);
    return {
      hasOrphans: hasProcessRecords(directory),
      async load() {
        const { PiRuntime } = await import("./runtime.ts");
        return new PiRuntime({
          program: settings.piBin,
          env,
          directory,
          clock,
          provider: settings.piAgentProvider,
          model: settings.piAgentModel,
          apiKey: settings.piAgentApiKey?.reveal() ?? null,
          maxSteps: settings.piAgentMaxSteps,
          ...(systemPromptPath === undefined ? {} : { systemPromptPath }),
          toolServer,
          idleMs,
          maxResting,
          permissions: async (lane) => ({
            ...(await context.permissions(lane)),
            policy: context.permissionPolicy === "trusted" ? "trusted" : "safe",
          }),
          onError,
        });
      },
    };
  },
  async doctor({ piBin, piAgentProvider, piAgentModel, piAgentApiKey }, context) {
    const path = locateAgent(piProgram, piBin, context.env);
    const models = modelsOf(context.lanes, piAgentModel);
    const hasKey = piAgentApiKey !== undefined || hasProviderKey(piAgentProvider, context.env);
    return [
      await checkProgram(kind, { program: piBin, path }, context),
      hasKey
        ? ok(`model ${kind}`, `${models}.`)
        : warning(
            `model ${kind}`,
            `${models} from ${piAgentProvider}, but there is no API key for it.`,
            "Set PI_AGENT_API_KEY or the provider's own variable (such as OPENROUTER_API_KEY), or log in with `pi`.",
          ),
    ];
  },
});
