/**
 * OpenCode, the daemon, or both are killed with SIGKILL in the middle of a turn, again and again. Every message must
 * end, and the model, which nobody kills, knows how often it was asked for each.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "../../src/runtimes/opencode/process-table.ts";
import { readServerRecord } from "../../src/runtimes/opencode/server-record.ts";
import type { Call } from "../../src/scripted-model/call-log.ts";
import { scriptedProvider } from "../../src/scripted-model/opencode-settings.ts";
import type { ScriptedModel } from "../../src/scripted-model/server.ts";
import { startScriptedModel } from "../../src/scripted-model/server.ts";
import type { OpencodeDaemonOptions, Outcomes } from "./opencode-daemon.ts";
import { opencodeBin, opencodeEnvironment } from "./opencode-server.ts";
import { OtherProcess } from "./other-process.ts";
import { freePort } from "./program.ts";

export type Victim = "opencode" | "daemon" | "both";
const victims: readonly Victim[] = ["opencode", "daemon", "both"];

export type OpencodeKills = {
  /** By message id, who was killed in its first turn. */
  victims: Map<string, Victim>;
  outcomes: Outcomes;
  /** By message id, the calls that the model got for it, in order. */
  calls: Map<string, Call[]>;
  /** Servers that were alive when everything had ended. */
  leftOver: number[];
};

export async function killOpencodeAgainAndAgain(kills: number): Promise<OpencodeKills> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "waybill-opencode-kills-")));
  let wake = () => {};
  const model = await startScriptedModel({
    script: { rules: [{ when: "/Message (m\\d+)\\./", steps: [{ waitMs: 700, say: "Done with {{1}}: 1 file." }] }] },
    onCall: () => setImmediate(() => wake()),
  });
  const isAsked = async (id: string) => {
    while (callsFor(model, id).length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const ids = Array.from({ length: kills + 1 }, (_, index) => `m${index}`);
  const options = JSON.stringify(await daemonOptions(directory, model.url, ids));
  const start = async () => {
    const daemon = await OtherProcess.start("test/support/opencode-daemon.ts", [options]);
    await daemon.hear<string>();
    return daemon;
  };
  const servers = new Map<number, string | null>();
  const killed = new Map<string, Victim>();
  let daemon = await start();
  try {
    for (const [index, id] of ids.slice(0, kills).entries()) {
      await isAsked(id);
      const victim = victims[index % victims.length] ?? "both";
      killed.set(id, victim);
      const record = readServerRecord(join(directory, "server"));
      if (record?.pid == null) throw new Error("a turn runs, and no server is written down");
      servers.set(record.pid, record.processStart);
      if (victim !== "opencode") await daemon.kill();
      if (victim !== "daemon") process.kill(-record.pid, "SIGKILL");
      if (victim !== "opencode") daemon = await start();
    }
    const outcomes = await daemon.hear<Outcomes>();
    const record = readServerRecord(join(directory, "server"));
    if (record?.pid != null) servers.set(record.pid, record.processStart);
    await daemon.finish();
    const leftOver = [...servers].filter(([pid, begun]) => isAlive(pid, begun)).map(([pid]) => pid);
    return { victims: killed, outcomes, calls: new Map(ids.map((id) => [id, callsFor(model, id)])), leftOver };
  } finally {
    await daemon.finish();
    await model.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function callsFor(model: ScriptedModel, id: string): Call[] {
  return model.calls.filter((call) => call.kind === "turn" && call.prompt.includes(`Message ${id}.`));
}

async function daemonOptions(directory: string, modelUrl: string, ids: string[]): Promise<OpencodeDaemonOptions> {
  const work = join(directory, "work");
  mkdirSync(work);
  const port = await freePort();
  return {
    directory,
    work,
    messages: ids.map((id) => ({ id, text: `Message ${id}.` })),
    keeper: {
      settings: {
        opencodeBin,
        opencodeAttachUrl: `http://127.0.0.1:${port}`,
        opencodeAutoStart: true,
        opencodeServeHost: "127.0.0.1",
        opencodeServePort: port,
      },
      directory: join(directory, "server"),
      extraEnv: {
        ...opencodeEnvironment(join(directory, "opencode-home")),
        OPENCODE_CONFIG_CONTENT: JSON.stringify(scriptedProvider(modelUrl)),
      },
      times: { firstWaitMs: 100, maxWaitMs: 500, endMs: 1000 },
    },
  };
}
