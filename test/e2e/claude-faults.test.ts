import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { processTable } from "../../src/runtimes/process/process-table.ts";
import { processTreeOf } from "../../src/runtimes/process/process-tree.ts";
import type { ProcessRecord } from "../../src/runtimes/process-pool/process-record.ts";
import { ClaudeLanes } from "../support/claude/claude-lanes.ts";

let world: ClaudeLanes;
let count = 0;
/** A new one for each test, on the same lane. */
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

const sleeps = { tools: [{ tool: "Bash", input: { command: "sleep 60" } }] };
const hangs = { breaks: { how: "hang" as const } };

const write = { tools: [{ tool: "Write", input: { file_path: "note.txt", content: "x" } }] };

/** The program itself, and its tools. */
const processesOf = async (program: ProcessRecord) => processTreeOf(program, await processTable(), process.pid);

/** Waits until the first model call is answered and the program has continued. */
async function isAtWork(prompt: string): Promise<void> {
  await world.modelIsAsked(prompt);
  await world.until(id, ({ status }) => status === "accepted");
}

describe("a program that is killed", () => {
  test("before any output is restarted, and the message is answered once", async () => {
    world.script({ rules: [{ once: true, steps: [hangs] }, { steps: [{ say: "After all." }] }] });
    await world.send(id, "early");
    await isAtWork("early");
    process.kill(world.program().pid, "SIGKILL");
    const { attemptList } = await world.reaches(id, "responded");
    expect(attemptList.length).toBeLessThanOrEqual(2);
    expect((await world.answers()).filter((text) => text === "After all.")).toHaveLength(1);
  });

  test("while a tool runs gets new ids from the repair budget, since it would ignore the old ones", async () => {
    world.script({ rules: [{ once: true, steps: [sleeps] }, { steps: [{ say: "Done now." }] }] });
    await world.send(id, "in a tool");
    await isAtWork("in a tool");
    const program = world.program();
    await world.toolRuns(program.sessionId);
    process.kill(program.pid, "SIGKILL");
    const { attemptList } = await world.reaches(id, "responded");
    expect(attemptList.map(({ spends }) => spends)).toEqual(["attempts", "repairs"]);
    expect((await world.answers()).at(-1)).toBe("Done now.");
    expect(await processesOf(program)).toEqual([]);
  });

  test("more often than the repair budget allows spends attempts", async () => {
    const inTool = { once: true, steps: [sleeps] };
    world.script({ rules: [inTool, inTool, inTool, { steps: [{ say: "Done in the end." }] }] });
    await world.send(id, "again and again");
    for (const kill of [1, 2, 3]) {
      await world.modelIsAsked("again and again", kill);
      await world.until(id, ({ status, attemptList }) => status === "accepted" && attemptList.length === kill);
      const program = world.program();
      await world.toolRuns(program.sessionId);
      // Before the call is in the file, the prompt would count as never run, and be sent again.
      await world.until(id, ({ attemptList }) => (attemptList[kill - 1]?.firstTokenAt ?? null) !== null);
      process.kill(program.pid, "SIGKILL");
    }
    const { attemptList } = await world.reaches(id, "responded");
    expect(attemptList.map(({ spends }) => spends)).toEqual(["attempts", "repairs", "repairs", "attempts"]);
    expect((await world.answers()).at(-1)).toBe("Done in the end.");
  });
});

describe("when Waybill stops and starts again", () => {
  test("a working program finishes its turn alone, and its answer is found without a second prompt", async () => {
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

  describe("a program that is stuck in a tool", () => {
    let program: ProcessRecord;
    beforeEach(async () => {
      world.script({ rules: [{ once: true, steps: [sleeps] }, { steps: [{ say: "Done after that." }] }] });
      await world.send(id, "hangs");
      await isAtWork("hangs");
      program = world.program();
      // The call is in the transcript before its tool starts, and the program starts other processes before that.
      const itsToolRuns = async () => (await processesOf(program)).some(({ command }) => command.endsWith("sleep 60"));
      while (!(await itsToolRuns())) await wait(20);
      await world.waybill.close({ keepAgents: true });
      await world.start();
      expect(await itsToolRuns()).toBe(true);
    });

    test("ends with its tool when a person stops it, and the message is cancelled", async () => {
      await world.waybill.interventions.stop("lane", "user");
      await world.until(id, ({ status, turnEndedAt }) => status === "cancelled" && turnEndedAt !== null);
      expect(await processesOf(program)).toEqual([]);
    });

    test("ends when Waybill stops, and the message is answered in the next run", async () => {
      await world.stop();
      expect(await processesOf(program)).toEqual([]);
      await world.start();
      await world.reaches(id, "responded");
      expect((await world.answers()).at(-1)).toBe("Done after that.");
    });
  });

  test("an ask of a program is asked again, and not taken for refused", async () => {
    world.script({ rules: [{ steps: [write, { say: "It is written." }] }] });
    await world.send(id, "may I");
    await world.until(id, ({ responseState }) => responseState === "permission_blocked");
    const [before] = world.waybill.asks.list();
    await world.waybill.close({ keepAgents: true });
    await world.start();
    await world.until(
      id,
      ({ attemptList, responseState }) => attemptList.length === 2 && responseState === "permission_blocked",
    );
    const [ask] = world.waybill.asks.list();
    expect(ask?.id).not.toBe(before?.id);
    await world.waybill.interventions.answer(ask?.id ?? "", { decision: "once" });
    await world.reaches(id, "responded");
  });

  test("a session with a missing transcript is stale, and the message goes to a fresh one", async () => {
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

test("a prompt waits for a program that an earlier caller started and gave up on", async () => {
  await world.stop();
  await world.start();
  const runtime = world.waybill.runtimes.get("claude");
  const lane = await world.waybill.store.lane("lane");
  if (!runtime || !lane) throw new Error("there is no lane on Claude Code");
  world.script({ rules: [{ steps: [{ say: "Here." }] }] });
  const sessionId = randomUUID();
  const prompt = { sessionId, messageId: randomUUID(), partId: "", text: "are you there", attachments: [] };
  const [first, second] = await Promise.all([
    runtime.submit(lane, { ...prompt, messageId: randomUUID() }, AbortSignal.abort()),
    runtime.submit(lane, prompt, AbortSignal.timeout(60_000)),
  ]);
  expect(first.outcome).toBe("not_sent");
  expect(second.outcome).toBe("accepted");
  expect(world.program().sessionId).toBe(sessionId);
});
