import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ClaudeLanes } from "../support/claude-lanes.ts";

let world: ClaudeLanes;
let count = 0;
/** Another one for each test, on the same lane. */
let id = "";

beforeAll(async () => {
  const times = { startMs: 30_000, endMs: 3000, admittedMs: 5000, firstWaitMs: 50, longestWaitMs: 200 };
  world = await new ClaudeLanes({ claude: { times } }).start();
});
afterAll(() => world.dispose());
beforeEach(() => {
  count += 1;
  id = `m${count}`;
});

const record = () =>
  JSON.parse(readFileSync(join(world.directory, "claude", "programs", "lane.json"), "utf8")) as {
    pid: number;
    sessionId: string;
  };

const sleeps = { tools: [{ tool: "Bash", input: { command: "sleep 60" } }] };
const hangs = { breaks: { how: "hang" as const } };

/** Its first call is answered so far, and the program has gone on to what follows. */
async function isAtWork(prompt: string): Promise<void> {
  await world.modelIsAsked(prompt);
  await world.until(id, ({ status }) => status === "accepted");
}

describe("a program that is killed", () => {
  test("before the agent said anything is started again, and the message is answered once", async () => {
    world.script({ rules: [{ once: true, steps: [hangs] }, { steps: [{ say: "After all." }] }] });
    await world.send(id, "early");
    await isAtWork("early");
    process.kill(record().pid, "SIGKILL");
    const { attemptList } = await world.reaches(id, "responded");
    expect(attemptList.length).toBeLessThanOrEqual(2);
    expect((await world.answers()).filter((text) => text === "After all.")).toHaveLength(1);
  });

  test("while a tool runs gets new ids, out of the repair budget, since it would swallow the old ones", async () => {
    world.script({ rules: [{ once: true, steps: [sleeps] }, { steps: [{ say: "Done now." }] }] });
    await world.send(id, "in a tool");
    await isAtWork("in a tool");
    const { sessionId, pid } = record();
    await world.toolRuns(sessionId);
    process.kill(pid, "SIGKILL");
    const { attemptList } = await world.reaches(id, "responded");
    expect(attemptList.map(({ spends }) => spends)).toEqual(["attempts", "repairs"]);
    expect((await world.answers()).at(-1)).toBe("Done now.");
  });
});

describe("when Waybill goes and comes back", () => {
  test("a program at work finishes its turn alone, and its answer is found without a second prompt", async () => {
    world.script({ rules: [{ steps: [{ waitMs: 1500, say: "Finished alone." }] }] });
    await world.send(id, "alone");
    await isAtWork("alone");
    await world.waybill.close({ keepAgents: true });
    await world.start();
    const { attemptList } = await world.reaches(id, "responded");
    expect(attemptList).toHaveLength(1);
    expect(world.turns("alone")).toBe(1);
    expect((await world.answers()).at(-1)).toBe("Finished alone.");
  });

  test("a session whose transcript is gone is stale, and the message goes to a fresh one", async () => {
    const { sessionId } = (await world.waybill.store.lane("lane")) ?? {};
    await world.stop();
    rmSync(join(world.home, ".claude", "projects"), { recursive: true });
    await world.start();
    world.script({ rules: [{ steps: [{ say: "In a new session." }] }] });
    await world.send(id, "where are you");
    await world.reaches(id, "responded");
    expect((await world.waybill.store.lane("lane"))?.sessionId).not.toBe(sessionId);
    expect((await world.answers()).at(-1)).toBe("In a new session.");
  });
});
