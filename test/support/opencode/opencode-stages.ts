/**
 * The servers on which scenes are played through OpenCode's API: the real OpenCode, and Waybill with each of its agents. All
 * use one script for the model.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startScriptedModel } from "@waybill/scripted-model";
import { runtimeKinds } from "../../../src/runtimes/registry.ts";
import { makeApp } from "../../../src/transports/http/app.ts";
import { listen } from "../../../src/transports/http/serve.ts";
import { openCodeMount } from "../../../src/transports/opencode-api/opencode-mount.ts";
import { modelScript, opencodeTools } from "../agents/agent-scripts.ts";
import type { Agent } from "../agents/side-by-side.ts";
import { about, allIsWell, token } from "../daemon/http-api.ts";
import { serviceOf } from "../daemon/service-of.ts";
import { countList, partList, typeList } from "./opencode-list.ts";
import type { Stage } from "./opencode-plays.ts";
import { countedScenes, playedScenes, plays } from "./opencode-plays.ts";
import { startOpencode } from "./opencode-server.ts";
import type { Reached } from "./opencode-session.ts";
import { OpencodeSession } from "./opencode-session.ts";

/** The result of a scene: the types of events in order, and the messages with their parts. */
export type Played = { list: string[]; parts: string[] };

export type Theatre = {
  readonly name: string;
  play(scene: string): Promise<Played>;
  dispose(): Promise<void>;
};

/** All sessions are in one directory, so that the server does not initialise again for each scene. */
export async function nativeTheatre(): Promise<Theatre> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "waybill-native-")));
  const directory = join(home, "work");
  furnish(directory);
  let wake = () => {};
  const model = await startScriptedModel({
    script: modelScript(playedScenes, opencodeTools, "."),
    onCall: () => setImmediate(() => wake()),
  });
  const isAskedAgain = (scene: string) => model.calls.some(({ prompt, step }) => prompt.includes(scene) && step === 1);
  const server = await startOpencode({ modelUrl: model.url, home, directory, config: { permission: { bash: "ask" } } });
  const hangs = async (scene: string) => {
    while (!isAskedAgain(scene)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    name: "OpenCode itself",
    play: (scene) =>
      playOn(server, directory, scene, { kill: () => server.kill("SIGKILL"), hangs: () => hangs(scene) }),
    dispose: async () => {
      await server.stop();
      await model.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** A Waybill's OpenCode API. */
export async function openCodeApi({ waybill }: Pick<Agent, "waybill">): Promise<Reached & { close(): Promise<void> }> {
  const mounts = [openCodeMount];
  const given = { token, about, runtimeKinds, doctor: allIsWell, pageDirectory: "/nowhere", mounts };
  const app = makeApp({ service: serviceOf(waybill), ...given });
  const { url, close } = await listen({ port: 0, app });
  return { url: `${url}/opencode`, authorization: `Bearer ${token}`, close };
}

/** Each scene has its own lane, and thus its own session. */
export async function waybillTheatre(agent: Agent): Promise<Theatre> {
  const at = await openCodeApi(agent);
  return {
    name: agent.name,
    play: async (scene) => {
      const { directory = "" } = (await agent.waybill.store.lane(scene)) ?? {};
      const stage = { kill: () => agent.kill(scene), hangs: () => agent.hangs(scene) };
      return playOn(at, directory, scene, stage, `ses_${scene}`);
    },
    dispose: () => at.close(),
  };
}

async function playOn(at: Reached, directory: string, scene: string, stage: Stage, id?: string): Promise<Played> {
  const play = plays[scene];
  if (!play) throw new Error(`there is no scene ${scene}`);
  const session = await new OpencodeSession(at, directory).open(id);
  try {
    const told = await play(session, stage);
    const rows = session.isOver ? [] : await session.messages();
    if (countedScenes.includes(scene)) return { list: countList(told, rows, session.id), parts: [] };
    return { list: typeList(told, session.id), parts: partList(rows) };
  } finally {
    await session.close();
  }
}

/** A repository, since OpenCode reports changes only in one. */
function furnish(directory: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "README.md"), "# Project\n\nOne line.\n");
  const git = (...args: string[]) => spawnSync("git", args, { cwd: directory });
  git("init", "-q");
  git("add", ".");
  git("-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "-q", "-m", "first");
}
