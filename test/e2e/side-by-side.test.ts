/**
 * One stream for every agent, and one API for every client: each scene is played through OpenCode's API, with its own
 * SDK, on every agent and on OpenCode itself. It produces the same turns and the same order of items on every program
 * (docs/events.md lists them), and OpenCode's clients see the same as with OpenCode (docs/opencode-api.md).
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { UniversalEvent } from "../../src/core/turn/universal-event.ts";
import type { AgentTurns } from "../support/agents/agent-scripts.ts";
import type { Agent } from "../support/agents/side-by-side.ts";
import { comparable, eventsUntil, startAgents } from "../support/agents/side-by-side.ts";
import type { Compared } from "../support/opencode/opencode-comparison.ts";
import { canPlay, compared, documented, expected, sectionOf } from "../support/opencode/opencode-comparison.ts";
import { playedScenes, plays } from "../support/opencode/opencode-plays.ts";
import type { Theatre } from "../support/opencode/opencode-stages.ts";
import { nativeTheatre, waybillTheatre } from "../support/opencode/opencode-stages.ts";

const scenes: AgentTurns = {
  ...playedScenes,
  rests: [{ say: "That was all: 1." }],
  proves: [{ say: "It is proven." }],
};
/** How many turns to compare. For other scenes only the first one, because failures are retried. */
const turns: Readonly<Record<string, number>> = { twice: 2, meanwhile: 2 };

/** The scenes whose turns docs/events.md lists. */
const turnScenes = ["edits", "rounds", "fails", "stops", "refuses", "twice", "meanwhile", "dies"];

/** The code block below the scene's heading. */
function documentedTurns(scene: string): string[] {
  const document = readFileSync(new URL("../../docs/events.md", import.meta.url), "utf8");
  const [, below = ""] = document.split(`### ${scene}\n`);
  const [, block = ""] = below.split("```\n");
  return block.split("\n").filter((line) => line !== "");
}

let agents: Agent[] = [];
let native: Theatre;
let others: Theatre[] = [];
beforeAll(async () => {
  [agents, native] = await Promise.all([startAgents(scenes), nativeTheatre()]);
  others = await Promise.all(agents.map(waybillTheatre));
});
afterAll(async () => {
  await Promise.all([native, ...others].map((theatre) => theatre.dispose()));
  await Promise.all(agents.map((agent) => agent.dispose()));
});

const count = (events: readonly UniversalEvent[], type: string) => events.filter((event) => event.type === type).length;

/** The lane's events up to the end of the given number of turns. */
async function toldOf(agent: Agent, lane: string, most: number): Promise<UniversalEvent[]> {
  const events = await eventsUntil(agent, lane, (all) => count(all, "turn.ended") >= most);
  const ends = [...events.keys()].filter((index) => events[index]?.type === "turn.ended");
  return events.slice(0, (ends[most - 1] ?? 0) + 1);
}

/** The turn has ended and the delivery `m` is proven, in whatever order. Only then nothing more is read or sent. */
const isOver = (events: readonly UniversalEvent[]) =>
  count(events, "turn.ended") >= 1 &&
  events.some(({ type, data }) => type === "item.completed" && data.item.id === "delivery:m");

test("a session that ends while the agent is idle ends no second turn", async () => {
  for (const agent of agents) {
    await agent.send("m", "rests", "rests");
    await eventsUntil(agent, "rests", isOver);
    const { sessionId } = (await agent.waybill.store.lane("rests")) ?? {};
    await agent.endSession("rests", sessionId ?? "");
    const told = await eventsUntil(agent, "rests", (events) => count(events, "session.ended") >= 1);
    expect(comparable(told), agent.name).toEqual(documentedTurns("rests"));
  }
});

test("the ids of a delivery's prompt and answer are items of its turn", async () => {
  for (const agent of agents) {
    const { store } = agent.waybill;
    await agent.send("m", "proves", "proves");
    const events = await eventsUntil(agent, "proves", isOver);
    const record = await store.deliveryOf("proves", "m");
    const item = (id: string | null | undefined) =>
      events.findLast(({ type, data }) => type === "item.completed" && data.item.id === id);
    const asked = item(record?.deliveredUserMessageId);
    const answer = item(record?.observedAssistantMessageId);
    expect(answer, agent.name).toMatchObject({
      session: record?.runtimeSessionId,
      data: { item: { kind: "message", role: "assistant", parts: [{ type: "text", text: "It is proven." }] } },
    });
    expect(asked, agent.name).toMatchObject({ turn: answer?.turn, data: { item: { kind: "message", role: "user" } } });
    const begun = events.find(({ type, turn }) => type === "turn.started" && turn === answer?.turn);
    expect(begun?.data, agent.name).toEqual({ prompt: record?.deliveredUserMessageId });
    const noted = item("attempt:m:1");
    const prompt = agent.name === "pi" ? null : record?.attemptList[0]?.messageId;
    expect(noted?.data, agent.name).toMatchObject({
      item: { parts: [{ value: { message: "m", number: 1, prompt } }] },
    });
    if (prompt !== null) expect(prompt, agent.name).toBe(record?.deliveredUserMessageId);
    expect(noted?.seq, agent.name).toBeLessThan(begun?.seq ?? 0);
  }
});

// The last scene kills the programs.
describe.each(Object.keys(plays))("the scene %s", (scene) => {
  let played: Compared;

  test("gives OpenCode's clients the same events and parts through Waybill as through OpenCode", async () => {
    const playing = others.filter(({ name }) => canPlay(scene, name));
    played = await compared(scene, native, playing);
    for (const [agent, given] of played.others) {
      expect(given, agent).toEqual(expected(scene, played.native, agent));
    }
  });

  if (turnScenes.includes(scene)) {
    test("has the same turns and the same order of items on every program", async () => {
      for (const agent of agents) {
        const told = comparable(await toldOf(agent, scene, turns[scene] ?? 1));
        expect(told, agent.name).toEqual(documentedTurns(scene));
      }
    });
  }

  test("matches docs/opencode-api.md", () => {
    expect(documented(scene)).toBe(sectionOf(scene, played));
  });
});
