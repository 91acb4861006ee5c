/** Worlds around the real programs in which scenes are played, and ways to kill the programs from outside. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity } from "../../../src/runtimes/process/process-tree.ts";
import type { NewLane } from "../../../src/store/port.ts";
import { ClaudeLanes } from "../claude/claude-lanes.ts";
import { OpencodeWorld } from "../opencode/opencode-world.ts";
import { PiLanes } from "../pi/pi-lanes.ts";
import type { AgentTurns } from "./agent-scripts.ts";
import { claudeTools, modelScript, opencodeTools, piTools } from "./agent-scripts.ts";

type Lanes = readonly Partial<NewLane>[];

export async function startOpencode(scenes: AgentTurns, lanes: Lanes) {
  const world = new OpencodeWorld({ lanes, config: { permission: { bash: "ask" } } });
  furnish(world.directory, lanes);
  await world.start();
  world.script(modelScript(scenes, opencodeTools, "."));
  const programs = () => recordsIn(join(world.directory, "server"), "server.json");
  return {
    world,
    programs,
    /** One server serves all lanes. */
    kill: () => end(programs()[0], "SIGKILL"),
    deleteSession: async (sessionId: string) => {
      const { url = "", authorization } = world.supervisor.address() ?? {};
      const headers = { Authorization: authorization ?? "" };
      await fetch(`${url}/session/${sessionId}`, { method: "DELETE", headers });
    },
  };
}

export async function startClaude(scenes: AgentTurns, lanes: Lanes) {
  const times = { startMs: 30_000, endMs: 5000, admittedMs: 5000, firstWaitMs: 50, longestWaitMs: 50 };
  const world = new ClaudeLanes({ lanes, claude: { maxResting: 20, times } });
  furnish(world.directory, lanes);
  for (const { directory = "work" } of lanes) {
    const settings = join(world.directory, directory, ".claude");
    mkdirSync(settings, { recursive: true });
    writeFileSync(join(settings, "settings.json"), JSON.stringify({ permissions: { defaultMode: "acceptEdits" } }));
  }
  await world.start();
  world.script(modelScript(scenes, claudeTools, "."));
  const records = join(world.directory, "claude", "programs");
  return {
    world,
    programs: () => recordsIn(records, ".json"),
    kill: (lane: string, how: NodeJS.Signals = "SIGKILL") => end(world.program(lane), how),
  };
}

export async function startPi(scenes: AgentTurns, lanes: Lanes) {
  const times = { firstWaitMs: 50, longestWaitMs: 50 };
  const world = new PiLanes({ lanes, pi: { maxResting: 20, times } });
  furnish(world.directory, lanes);
  await world.start();
  world.script(modelScript(scenes, piTools, "."));
  const records = join(world.directory, "pi", "programs");
  return {
    world,
    programs: () => recordsIn(records, ".json"),
    kill: (lane: string, how: NodeJS.Signals = "SIGKILL") => end(world.program(lane), how),
  };
}

/** A runtime's records of the programs that it started. */
function recordsIn(directory: string, ending: string): ProcessIdentity[] {
  const names = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith(ending)) : [];
  return names.map((name) => JSON.parse(readFileSync(join(directory, name), "utf8")) as ProcessIdentity);
}

function end(program: ProcessIdentity | undefined, how: NodeJS.Signals): void {
  if (!program?.pid) throw new Error("there is no such program");
  process.kill(program.pid, how);
}

/** Each lane has its own directory with one file. */
function furnish(world: string, lanes: Lanes): void {
  for (const { directory = "work" } of lanes) {
    mkdirSync(join(world, directory), { recursive: true });
    writeFileSync(join(world, directory, "README.md"), "# Project\n\nOne line.\n");
  }
}
