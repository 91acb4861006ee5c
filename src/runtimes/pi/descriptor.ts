/** pi's descriptor: its program, traits and settings, and the doctor's check of its models. */
import { ok, warning } from "../../platform/doctor-check.ts";
import { positive, secretText, text } from "../../platform/setting-types.ts";
import { modelsOf } from "../descriptor.ts";
import { acceptedImages, acceptedText } from "../model-files.ts";
import { processRuntime } from "../process-pool/process-descriptor.ts";
import program from "./program.json" with { type: "json" };

const kind = "pi";
const defaultProvider = "openrouter";

const hasKey = async (provider: string, env: NodeJS.ProcessEnv) =>
  (await import("./environment.ts")).hasProviderKey(provider, env);

export const pi = processRuntime({
  kind,
  provider: "pi_agent",
  program,
  bin: { key: "piBin", env: "PI_BIN" },
  hasLogin: async (env) => hasKey(env.PI_AGENT_PROVIDER || defaultProvider, env),
  traits: {
    takesIds: false,
    // A known prompt is never sent again: pi would run it twice, and the two would look the same in its file.
    sendingAgain: "swallowed",
    // pi's protocol accepts images. Text files are appended to the prompt. There is no way to show the model a PDF.
    attachments: [...acceptedImages, acceptedText],
    takesSystem: true,
  },
  /** pi never sees these ids; they identify an attempt in the ledger. */
  idsFrom: (digest) => ({ messageId: `pi_${digest.slice(0, 32)}`, partId: `pi_part_${digest.slice(0, 32)}` }),
  offers: ["sessionsIn", "checkAdoption", "fork"],
  settings: {
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
  laneProblem: ({ agent }) =>
    agent === null ? null : { key: "agent", reason: `is "${agent}", but pi has no agents`, hint: "Leave it out." },
  async load(options, { piAgentProvider: provider, piAgentModel: model, piAgentApiKey, piAgentMaxSteps: maxSteps }) {
    const { PiRuntime } = await import("./runtime.ts");
    return new PiRuntime({ ...options, provider, model, apiKey: piAgentApiKey?.reveal() ?? null, maxSteps });
  },
  async checkModels({ piAgentProvider, piAgentModel, piAgentApiKey }, { env, lanes }) {
    const models = modelsOf(lanes, piAgentModel);
    if (piAgentApiKey !== undefined || (await hasKey(piAgentProvider, env))) return ok(`model ${kind}`, `${models}.`);
    return warning(
      `model ${kind}`,
      `${models} from ${piAgentProvider}, but there is no API key for it.`,
      "Set PI_AGENT_API_KEY or the provider's own variable (such as OPENROUTER_API_KEY), or log in with `pi`.",
    );
  },
});
