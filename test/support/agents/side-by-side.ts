/**
 * The same scenes on the stub, the real OpenCode, the real Claude Code and the real pi: a lane for each scene, and its events
 * in lines that do not depend on the program.
 */
import { join } from "node:path";
import type { UniversalEvent } from "../../../src/core/turn/universal-event.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { StubRuntime } from "../../../src/runtimes/stub/runtime.ts";
import type { Engine } from "../../../src/service/engine.ts";
import type { NewLane } from "../../../src/store/port.ts";
import { startClaude, startOpencode, startPi } from "./agent-programs.ts";
import type { AgentTurns } from "./agent-scripts.ts";
import { stubScript } from "./agent-scripts.ts";
import { AgentWorld } from "./agent-world.ts";

export type Agent = {
  readonly name: string;
  readonly waybill: Engine;
  send(id: string, text: string, lane: string): Promise<void>;
  /** Kills the agent's program while it works for the lane. The stub's program dies by its script. */
  kill(lane: string): void;
  /** Resolves when the model is called for the second time in the lane's scene and does not answer. */
  hangs(lane: string): Promise<void>;
  /** Ends the lane's session while it is idle. */
  endSession(lane: string, sessionId: string): Promise<void>;
  dispose(): Promise<void>;
};

class StubLanes extends AgentWorld {
  readonly #scenes: AgentTurns;
  stub!: StubRuntime;

  constructor(scenes: AgentTurns, lanes: readonly Partial<NewLane>[]) {
    super({ lanes });
    this.#scenes = scenes;
  }

  protected override makeRuntime(): StubRuntime {
    const journalPath = join(this.directory, "stub.jsonl");
    const scripts = { default: stubScript(this.#scenes) };
    this.stub = new StubRuntime({ journalPath, clock: systemClock, scripts, postMessage: async () => {} });
    return this.stub;
  }
}

/** All of them, by the runtime's kind. */
const starts = { stub: stubAgent, opencode: opencodeAgent, claude: claudeAgent, pi: piAgent };
export type AgentKind = keyof typeof starts;

export async function startAgents(scenes: AgentTurns): Promise<Agent[]> {
  const lanes = Object.keys(scenes).map((id) => ({ id }));
  return Promise.all(Object.values(starts).map((start) => start(scenes, lanes)));
}

export function startAgent(kind: AgentKind, scenes: AgentTurns, lanes: readonly Partial<NewLane>[]): Promise<Agent> {
  return starts[kind](scenes, lanes);
}

async function stubAgent(scenes: AgentTurns, lanes: readonly Partial<NewLane>[]): Promise<Agent> {
  const world = await new StubLanes(scenes, lanes).start();
  return {
    name: "stub",
    ...common(world),
    kill: () => {},
    // It has no model; its script has got this far when the previous message is reported.
    hangs: async () => {},
    endSession: async (_lane, sessionId) => world.stub.endSession(sessionId),
  };
}

async function opencodeAgent(scenes: AgentTurns, lanes: readonly Partial<NewLane>[]): Promise<Agent> {
  const { world, kill, deleteSession } = await startOpencode(scenes, lanes);
  return { name: "OpenCode", ...common(world), kill, endSession: (_lane, sessionId) => deleteSession(sessionId) };
}

async function claudeAgent(scenes: AgentTurns, lanes: readonly Partial<NewLane>[]): Promise<Agent> {
  const { world, kill } = await startClaude(scenes, lanes);
  return { name: "Claude Code", ...common(world), kill, endSession: async (lane) => kill(lane, "SIGTERM") };
}

async function piAgent(scenes: AgentTurns, lanes: readonly Partial<NewLane>[]): Promise<Agent> {
  const { world, kill } = await startPi(scenes, lanes);
  return { name: "pi", ...common(world), kill, endSession: async (lane) => kill(lane, "SIGTERM") };
}

function common(world: AgentWorld) {
  return {
    get waybill() {
      return world.waybill;
    },
    send: async (id: string, text: string, lane: string) => {
      await world.waybill.admission.admit({ id, to: { lane }, from: "user", text });
    },
    hangs: (lane: string) => world.modelIsAsked(lane, 1, 1),
    dispose: () => world.dispose(),
  };
}

/** The events of a lane, once there are enough of them. */
export async function eventsUntil(
  { waybill }: Agent,
  lane: string,
  done: (events: readonly UniversalEvent[]) => boolean,
): Promise<UniversalEvent[]> {
  let wake = () => {};
  const stop = waybill.store.onLog(() => wake());
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const all = (await waybill.store.eventsBefore(lane, null, 500)).toReversed();
      if (done(all)) return all;
      await changed;
    }
  } finally {
    stop();
  }
}

/** What all programs have in common: without ids, paths and error texts. */
export function comparable(events: readonly UniversalEvent[]): string[] {
  const lines = events.flatMap((event) => lineOf(event) ?? []);
  // OpenCode sometimes reports an ask just before it reports that its call is complete.
  const early = (place: number) =>
    lines[place] === "permission.requested" && lines[place + 1]?.startsWith("- tool_call") === true;
  for (const place of lines.keys()) {
    if (early(place)) lines.splice(place, 2, ...lines.slice(place, place + 2).reverse());
  }
  return lines;
}

function lineOf(event: UniversalEvent): string | null {
  switch (event.type) {
    case "item.started":
    case "item.completed":
      return itemLine(event.type, event.data.item);
    case "turn.ended":
      return `turn.ended ${event.data.reason}`;
    case "permission.resolved":
    case "question.resolved":
      return `${event.type} ${event.data.outcome}`;
    case "turn.started":
    case "permission.requested":
    case "question.requested":
    case "error":
      return event.type;
    // When a program reports its sessions, and what things cost, differs by program.
    default:
      return null;
  }
}

type Item = Extract<UniversalEvent, { type: "item.completed" }>["data"]["item"];

function itemLine(type: string, { kind, role, name, parts, status }: Item): string | null {
  if (kind === "status") return null;
  const ends = type === "item.completed";
  const words = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const what = role === "user" ? "prompt" : name === null ? kind : `${kind} ${name.toLowerCase()}`;
  const how = ends && status === "failed" ? " failed" : "";
  return `${ends ? "-" : "+"} ${what}${how}${ends && role === "assistant" && words !== "" ? ` "${words}"` : ""}`;
}
