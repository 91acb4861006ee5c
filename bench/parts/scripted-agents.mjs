/** Engines with one lane on a real agent program and the scripted model, which answers every prompt immediately. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { newLane } from "./memory-waybill.mjs";
import {
  claudeModules,
  defaultPolicy,
  opencodeModules,
  openSqliteStore,
  scriptedModelModules,
  startEngine,
  systemClock,
} from "./modules.mjs";

const claude = fileURLToPath(new URL("../../node_modules/.claude-code/node_modules/.bin/claude", import.meta.url));

/** `asked(text)` resolves with the time at which the model got a prompt that contains this text. */
export async function startModel(otherwise = [{ say: "The rule is changed, and all of its tests pass." }]) {
  const { startScriptedModel } = await scriptedModelModules();
  const waiting = new Map();
  const model = await startScriptedModel({
    script: { otherwise },
    onCall: ({ kind, prompt }) => {
      if (kind !== "turn") return;
      const at = performance.now();
      for (const [text, resolve] of waiting) {
        if (!prompt.includes(text)) continue;
        waiting.delete(text);
        resolve(at);
      }
    },
  });
  return {
    url: model.url,
    close: () => model.close(),
    asked: (text) => new Promise((done) => waiting.set(text, done)),
  };
}

export async function opencodeRuntime({ directory, url, onError }) {
  const { OpencodeRuntime, ServerSupervisor, opencode } = await opencodeModules();
  const settings = { opencodeBin: "opencode", opencodeServeHost: "127.0.0.1", opencodeServePort: 0 };
  const attach = { opencodeAttachUrl: url, opencodeAutoStart: false };
  const env = { ...process.env, OPENCODE_SERVER_PASSWORD: "bench" };
  const supervisor = new ServerSupervisor({
    settings: { ...settings, ...attach },
    directory: join(directory, "opencode"),
    env,
  });
  return new OpencodeRuntime({ identity: opencode, supervisor, clock: systemClock, onError });
}

export async function claudeRuntime({ directory, modelUrl, onError }) {
  const { ClaudeRuntime, claude: descriptor } = await claudeModules();
  const home = join(directory, "claude-home");
  mkdirSync(home, { recursive: true });
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: home,
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: "scripted",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
    ENABLE_TOOL_SEARCH: "false",
  };
  const times = { idleMs: 600_000, maxResting: 5 };
  return new ClaudeRuntime({
    agent: descriptor.agent,
    ...times,
    program: claude,
    env,
    directory: join(directory, "claude"),
    clock: systemClock,
    onError,
  });
}

export async function startAgentWaybill({ path, runtime, work }) {
  const errors = [];
  const engine = await startEngine({
    store: openSqliteStore({ path }),
    policy: defaultPolicy,
    lanes: [newLane("lane", { runtime: runtime.kind, directory: work })],
    runtimes: () => [runtime],
    // No team here uses inbox files.
    teamFiles: { stateDirectory: dirname(path), takeLock: () => ({ release() {} }) },
    onError: ({ error }) => errors.push(error),
  });
  const waiting = new Map();
  engine.store.onLog((items) => {
    const at = performance.now();
    const changes = items.filter(({ type }) => type === "delivery");
    for (const [key, resolve] of waiting) {
      if (!changes.some(({ record }) => key.fits(record))) continue;
      waiting.delete(key);
      resolve(at);
    }
  });
  return {
    engine,
    errors,
    admit: (id, text) => engine.admission.admit({ id, to: { lane: "lane" }, from: "user", text }),
    /** The time of the first change of a delivery that matches. */
    changed: (fits) => new Promise((resolve) => waiting.set({ fits }, resolve)),
    close: () => engine.close(),
  };
}
