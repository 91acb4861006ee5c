/** pi's settings, and what a start and the doctor need to know of it. */
import { join } from "node:path";
import { ok, warning } from "../../doctor-check.ts";
import { positive, program, secretText, text } from "../../setting-types.ts";
import { defineRuntime } from "../descriptor.ts";
import { locateAgent } from "../process-pool/find-agent.ts";
import { hasProcessRecords } from "../process-pool/process-record.ts";
import { checkProgram, modelsOf } from "../program-checks.ts";
import { piProgram } from "./process/pi-program.ts";
import { hasProviderKey } from "./process/provider-key.ts";
import { piIds, piTraits } from "./traits.ts";

const kind = "pi";

export const pi = defineRuntime({
  kind,
  name: piProgram.name,
  provider: "pi_agent",
  program: piProgram.command,
  traits: piTraits,
  idsFrom: piIds,
  offers: ["sessionsIn", "checkAdoption", "fork"],
  settings: {
    piBin: program.default(piProgram.command).meta({
      env: "PI_BIN",
      description: "The pi program. By default the one in PATH, then the one that was installed for Waybill's tests.",
    }),
    piAgentProvider: text.default("openrouter").meta({
      env: "PI_AGENT_PROVIDER",
      description: "The model provider that pi uses: one that it knows, or one in its own `models.json`.",
    }),
    piAgentModel: text.default("openrouter/auto").meta({
      env: "PI_AGENT_MODEL",
      description: "The model that pi uses in lanes that name none.",
    }),
    piAgentApiKey: secretText.optional().meta({
      env: "PI_AGENT_API_KEY",
      description:
        "The key for that provider, handed to pi in its environment. Without it pi reads the provider's own variable (`OPENROUTER_API_KEY` and so on), or takes what it was logged in with.",
    }),
    piAgentMaxSteps: positive.default(15).meta({
      env: "PI_AGENT_MAX_STEPS",
      description: "How often pi may ask its model in one turn. A turn that would ask once more ends with an error.",
    }),
  },
  laneSettings: {},
  laneProblem: ({ agent }) =>
    agent === null ? null : { key: "agent", reason: `is "${agent}", and pi has no agents`, hint: "Leave it out." },
  prepare(settings, context) {
    const { env, clock, stateDirectory, systemPromptPath, toolServer, idleMs, maxResting, onError } = context;
    const directory = join(stateDirectory, kind);
    return {
      hasOrphans: hasProcessRecords(directory),
      async load() {
        const { PiRuntime } = await import("./pi-runtime.ts");
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
            `${models} from ${piAgentProvider}, and there is no key for it.`,
            "Set PI_AGENT_API_KEY, or the variable of the provider (such as OPENROUTER_API_KEY), or log in with `pi`.",
          ),
    ];
  },
});
