/** Plays scenarios on a real OpenCode server, and writes what it said as fixtures with stable names. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ScriptedModel } from "@waybill/scripted-model";
import { startScriptedModel } from "@waybill/scripted-model";
import type { OpencodeServer } from "../support/opencode/opencode-server.ts";
import { startOpencode } from "../support/opencode/opencode-server.ts";
import { Listener } from "./listener.ts";
import type { Scenario } from "./scenarios.ts";
import { scenarios } from "./scenarios.ts";
import { withStableNames } from "./stable-names.ts";

type Place = { root: string; server: OpencodeServer; model: ScriptedModel };

const fixtures = fileURLToPath(new URL("../fixtures/opencode/", import.meta.url));

export async function record(names: readonly string[]): Promise<void> {
  const wanted = scenarios.filter(({ name }) => names.length === 0 || names.includes(name));
  const root = realpathSync(mkdtempSync(join(tmpdir(), "waybill-recorder-")));
  const model = await startScriptedModel({ script: {} });
  const config = { permission: { bash: "ask", question: "allow" } };
  const server = await startOpencode({ modelUrl: model.url, home: join(root, "home"), config });
  mkdirSync(fixtures, { recursive: true });
  try {
    for (const scenario of wanted) {
      const lines = await play(scenario, { root, server, model });
      writeFileSync(join(fixtures, `${scenario.name}.jsonl`), `${lines.join("\n")}\n`);
      console.log(`${scenario.name}: ${lines.length} lines`);
    }
  } finally {
    await server.stop();
    await model.close();
    rmSync(root, { recursive: true, force: true });
  }
}

async function play(scenario: Scenario, { root, server, model }: Place): Promise<string[]> {
  const directory = join(root, scenario.name);
  mkdirSync(directory);
  writeFileSync(join(directory, "README.md"), "# Project\n\nOne line.\n");
  if (scenario.git) makeRepository(directory);
  model.setScript(scenario.script);
  const listener = await Listener.open(server.url);
  const query = `?directory=${encodeURIComponent(directory)}`;
  const { id: session } = await server.call<{ id: string }>("POST", `/session${query}`, { title: scenario.name });
  const call = <T>(method: string, path: string, body?: unknown) => server.call<T>(method, `${path}${query}`, body);
  try {
    await scenario.run({ session, call, listener, model });
    await listener.quiet();
    const rows: Record<string, unknown> = {};
    for (const one of listener.sessions()) rows[one] = await call("GET", `/session/${one}/message`).catch(() => []);
    const names = {
      [directory]: "/project",
      [directory.slice(1)]: "project",
      [root]: "/elsewhere",
      [model.url]: "http://model.example",
    };
    const events = listener.events.filter(({ payload }) => scenario.whole === true || !isNoise(payload.type));
    return withStableNames([...events, { rows }], names).map((line) => JSON.stringify(line));
  } finally {
    await listener.close();
  }
}

/** Says everything a second time, or the same in every directory; one fixture has it all. */
function isNoise(type: string): boolean {
  return type === "sync" || type === "plugin.added" || type === "session.updated";
}

function makeRepository(directory: string): void {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Recorder", "-c", "user.email=recorder@example.org", ...args], {
      cwd: directory,
    });
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "-m", "Begin");
}
