/**
 * The demo's agent: a real OpenCode with a scripted model and its own home, so that the user's settings and sessions are not
 * touched. If OpenCode is not installed, the demo runs without it and says so.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ModelScriptInput, ScriptedModel } from "@waybill/scripted-model";
import { isolatedHome, scriptedProvider, startScriptedModel } from "@waybill/scripted-model";
import { AppError } from "../../platform/app-error.ts";
import { opencode } from "../../runtimes/opencode/descriptor.ts";
import { serverEnvironment } from "../../runtimes/opencode/environment.ts";
import { choosePort } from "../../runtimes/opencode/server/choose-server.ts";

export type DemoOpencode = {
  /** Replace the configured settings. */
  settings: Readonly<Record<string, unknown>>;
  extraEnv: Readonly<Record<string, string>>;
  model: ScriptedModel;
};

/** The reason why OpenCode cannot be used, if so. */
export async function startDemoOpencode(
  stateDirectory: string,
  settings: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<DemoOpencode | AppError> {
  try {
    await opencode.terminal?.(settings, { env: serverEnvironment(env, {}), signal });
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  const home = join(stateDirectory, "opencode");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const model = await startScriptedModel({ script: demoModelScript });
  const port = await choosePort("127.0.0.1", 0);
  return {
    model,
    // The port was free a moment ago, so no other server listens on it.
    settings: {
      opencodeAttachUrl: `http://127.0.0.1:${port}`,
      opencodeAutoStart: true,
      opencodeServeHost: "127.0.0.1",
      opencodeServePort: port,
    },
    extraEnv: { ...isolatedHome(home), OPENCODE_CONFIG_CONTENT: JSON.stringify(scriptedProvider(model.url)) },
  };
}

const note = "(The answers of this demo are scripted.)";

/** Only in the text of a retry; see texts.ts. */
const retried = "nothing shows that you acted on it";
const nudged = "You acknowledged the message below";

/** The script of the demo's model. Keywords in a message show how Waybill handles an agent that misbehaves. */
const demoModelScript: ModelScriptInput = {
  rules: [
    { when: `/${retried}[^]*\\bempty\\b/i`, steps: [{ say: `I said nothing at first, and was asked again. ${note}` }] },
    { when: "/\\bempty\\b/i", steps: [{}] },
    {
      when: `/${nudged}[^]*\\back\\b/i`,
      steps: [{ say: `At first I only said "Got it", and was asked to go on. This is the answer: 42. ${note}` }],
    },
    { when: "/\\back\\b/i", steps: [{ say: "Got it, will do." }] },
    { when: "/\\bslow\\b/i", steps: [{ waitMs: 5000, say: `That took a while, and nobody asked twice. ${note}` }] },
    {
      when: "/\\bpermission\\b/i",
      steps: [
        { tools: [{ tool: "bash", input: { command: "ls -la", description: "Lists the directory" } }] },
        { say: `With your permission I looked around:\n\n\`\`\`\n{{result}}\n\`\`\`\n\n${note}` },
      ],
    },
    {
      when: "/\\bquestion\\b/i",
      steps: [
        { tools: [{ tool: "question", input: { questions: [demoQuestion()] } }] },
        { say: `You decided. {{result}} ${note}` },
      ],
    },
    {
      when: "/\\bedit\\b/i",
      steps: [
        {
          tools: [
            { tool: "write", input: { filePath: "notes.md", content: "# Notes\n\nWritten by the demo agent.\n" } },
          ],
        },
        { say: `I wrote notes.md into the lane's directory. ${note}` },
      ],
    },
  ],
  otherwise: [
    {
      say:
        "Your message reached a real OpenCode, and this answer is the proof of it. Its model is scripted: try the " +
        "words empty, ack, slow, permission, question or edit.",
    },
  ],
  title: { say: "Waybill demo" },
};

function demoQuestion() {
  const options = [
    { label: "Green", description: "All is well." },
    { label: "Red", description: "Somebody should look." },
  ];
  return { question: "Which colour has the build?", header: "Build", options };
}
