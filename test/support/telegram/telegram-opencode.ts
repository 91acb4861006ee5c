/** A bot whose agents are the real OpenCode with a scripted model. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { ChatHandle } from "@waybill/fake-bot-api";
import type { ModelScriptInput, ScriptedModel } from "@waybill/scripted-model";
import { isolatedHome, scriptedProvider, startScriptedModel } from "@waybill/scripted-model";
import type { ServerRecord } from "../../../src/runtimes/opencode/server/server-record.ts";
import { readServerRecord } from "../../../src/runtimes/opencode/server/server-record.ts";
import { ModelGates } from "../agents/model-gates.ts";
import { freePort } from "../daemon/free-port.ts";
import type { Program } from "../daemon/program.ts";
import { opencodeBin } from "../opencode/opencode-server.ts";
import { TelegramWorld } from "./telegram-world.ts";

export type OpencodeBot = {
  world: TelegramWorld<Program>;
  model: ScriptedModel;
  /** Can hold the model's output in the middle of a sentence. */
  gates: ModelGates;
  dispose(): Promise<void>;
};

export type OpencodeBotOptions = {
  script: ModelScriptInput;
  /** Creates the allowed groups, and what settings depend on. */
  prepare?: (world: TelegramWorld<Program>) => { settings?: Record<string, unknown>; groups: readonly ChatHandle[] };
};

/** Resolves when the daemon is ready. */
export async function startOpencodeBot({ script, prepare }: OpencodeBotOptions): Promise<OpencodeBot> {
  const model = await startScriptedModel({ script });
  const gates = await new ModelGates(model.url).start();
  const world = await TelegramWorld.ofProgram();
  const { daemon: program } = world;
  const port = await freePort();
  Object.assign(program.env, isolatedHome(program.directory), {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(scriptedProvider(gates.url)),
  });
  const server = { opencodeBin, opencodeAttachUrl: `http://127.0.0.1:${port}`, opencodeServePort: port };
  const directories = {
    assistantRepoPath: realpathSync(program.work),
    allowedDirectories: [realpathSync(program.directory)],
  };
  const { settings, groups = [] } = prepare?.(world) ?? {};
  const all = { modelProvider: "opencode_cli", stubScript: undefined, ...server, ...directories, ...settings };
  world.configure({ settings: all }, groups);
  await program.up();
  return {
    world,
    model,
    gates,
    async dispose() {
      await world.dispose();
      await gates.close();
      await model.close();
    },
  };
}

/** The server that Waybill started. */
export function serverOf({ daemon: program }: TelegramWorld<Program>): ServerRecord {
  const record = readServerRecord(join(program.home, "opencode-server"));
  if (!record) throw new Error("Waybill has started no OpenCode server");
  return record;
}
