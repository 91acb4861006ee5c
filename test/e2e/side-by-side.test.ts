/**
 * One stream for every agent: the same scene gives the same turns and the same order of items on every program. What
 * each scene gives stands in docs/events.md.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { UniversalEvent } from "../../src/events/universal-event.ts";
import type { Message, Scenes } from "../support/scenes.ts";
import type { Agent } from "../support/side-by-side.ts";
import { comparable, eventsUntil, startAgents } from "../support/side-by-side.ts";

const reads: Message = { do: { read: "README.md" } };
const asks: Message = { say: "May I?", do: { shell: "sh -c true" } };

const scenes: Scenes = {
  edits: [
    { say: "I read it.", do: { read: "README.md" } },
    { say: "I edit it.", do: { edit: "README.md", from: "One line.", to: "Two lines." } },
    { say: "It has 2 lines now." },
  ],
  rounds: [...Array<Message>(10).fill(reads), { say: "Read 10 times." }],
  fails: [{ error: "This cannot be done." }],
  stops: [{ say: "I begin.", ...reads }, { hangs: "stopped" }],
  refuses: [asks, { say: "Never said." }],
  dies: [{ say: "I begin.", ...reads }, { hangs: "dies" }],
  twice: [{ say: "That was 1." }],
  meanwhile: [asks, { say: "That was the 1st or the 2nd." }],
  rests: [{ say: "That was all: 1." }],
};

/** The lines below the scene's heading. */
function documented(scene: string): string[] {
  const document = readFileSync(new URL("../../docs/events.md", import.meta.url), "utf8");
  const [, below = ""] = document.split(`### ${scene}\n`);
  const [, block = ""] = below.split("```\n");
  return block.split("\n").filter((line) => line !== "");
}

let agents: Agent[] = [];
beforeAll(async () => {
  agents = await startAgents(scenes);
});
afterAll(() => Promise.all(agents.map((agent) => agent.dispose())));

const count = (events: readonly UniversalEvent[], type: string) => events.filter((event) => event.type === type).length;
const turnsEnd = (agent: Agent, lane: string, turns: number) =>
  eventsUntil(agent, lane, (events) => count(events, "turn.ended") >= turns);

async function answerAsk(agent: Agent, lane: string, decision: "once" | "reject", nth = 1): Promise<void> {
  const events = await eventsUntil(agent, lane, (all) => count(all, "permission.requested") >= nth);
  const asked = events.filter((event) => event.type === "permission.requested").at(-1);
  const ask = await untilListed(agent, asked?.data.ask ?? "");
  await agent.waybill.people.answer(ask, { decision });
}

/** The ledger's look comes a moment after the event. */
async function untilListed({ waybill }: Agent, ask: string): Promise<string> {
  while (!waybill.asks.list().some(({ id }) => id === ask)) {
    await new Promise<void>((resolve) => {
      const stop = waybill.ledger.onChange(() => {
        stop();
        resolve();
      });
    });
  }
  return ask;
}

/** What a person or a program does in the scene, and the events of its lane after that. */
const plays: Record<string, (agent: Agent) => Promise<UniversalEvent[]>> = {
  edits: async (agent) => {
    await agent.send("m", "edits", "edits");
    return turnsEnd(agent, "edits", 1);
  },
  rounds: async (agent) => {
    await agent.send("m", "rounds", "rounds");
    return turnsEnd(agent, "rounds", 1);
  },
  fails: async (agent) => {
    await agent.waybill.store.pauseLane("fails", null);
    await agent.send("m", "fails", "fails");
    const events = await turnsEnd(agent, "fails", 1);
    await agent.waybill.people.stop("fails", "user");
    return events.slice(0, events.findIndex(({ type }) => type === "turn.ended") + 1);
  },
  stops: async (agent) => {
    await agent.send("m", "stops", "stops");
    await eventsUntil(agent, "stops", (events) => ends(events, "message") >= 2);
    await agent.waybill.people.stop("stops", "user");
    return turnsEnd(agent, "stops", 1);
  },
  refuses: async (agent) => {
    await agent.send("m", "refuses", "refuses");
    await answerAsk(agent, "refuses", "reject");
    return turnsEnd(agent, "refuses", 1);
  },
  twice: async (agent) => {
    await agent.send("m1", "twice", "twice");
    await turnsEnd(agent, "twice", 1);
    await agent.send("m2", "twice", "twice");
    return turnsEnd(agent, "twice", 2);
  },
  meanwhile: async (agent) => {
    await agent.send("m1", "meanwhile", "meanwhile");
    await eventsUntil(agent, "meanwhile", (events) => count(events, "permission.requested") >= 1);
    await agent.send("m2", "meanwhile", "meanwhile");
    await answerAsk(agent, "meanwhile", "once");
    await answerAsk(agent, "meanwhile", "once", 2);
    return turnsEnd(agent, "meanwhile", 2);
  },
  rests: async (agent) => {
    await agent.send("m", "rests", "rests");
    await turnsEnd(agent, "rests", 1);
    const lane = await agent.waybill.store.lane("rests");
    await agent.endSession("rests", lane?.sessionId ?? "");
    return eventsUntil(agent, "rests", (events) => count(events, "session.ended") >= 1);
  },
  // The last one: it takes OpenCode's server along.
  dies: async (agent) => {
    await agent.send("m", "dies", "dies");
    await eventsUntil(agent, "dies", (events) => agent.name === "stub" || ends(events, "message") >= 2);
    agent.kill("dies");
    const events = await turnsEnd(agent, "dies", 1);
    await agent.waybill.people.stop("dies", "user");
    return events.slice(0, events.findIndex(({ type }) => type === "turn.ended") + 1);
  },
};

function ends(events: readonly UniversalEvent[], kind: string): number {
  return events.filter((event) => event.type === "item.completed" && event.data.item.kind === kind).length;
}

describe.each(Object.entries(plays))("the scene %s", (name, play) => {
  test("gives the same turns and the same order of items on every program", async () => {
    const told = await Promise.all(agents.map(async (agent) => [agent.name, comparable(await play(agent))] as const));
    for (const [agent, lines] of told) expect(lines, agent).toEqual(documented(name));
  });
});
