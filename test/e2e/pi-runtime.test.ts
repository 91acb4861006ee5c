import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readProcessRecords } from "../../src/runtimes/process-pool/process-record.ts";
import { serviceOf } from "../support/daemon/service-of.ts";
import { PiLanes } from "../support/pi/pi-lanes.ts";

let world: PiLanes;
let count = 0;
/** A new one for each test, on the same lane. */
let id = "";
const bash = (command: string) => ({ tool: "bash", input: { command } });

beforeAll(async () => {
  world = new PiLanes({
    lanes: [{}, { id: "bad", directory: "bad" }],
    pi: {
      times: { firstWaitMs: 50 },
      maxSteps: 3,
      permissions: async () => ({
        policy: "safe",
        stateDirectories: [join(world.directory, "state")],
        otherDirectories: [],
      }),
    },
  });
  mkdirSync(join(world.directory, "state"));
  writeFileSync(join(world.directory, "state", "token"), "secret");
  await world.start();
});
afterAll(() => world.dispose());
beforeEach(() => {
  count += 1;
  id = `m${count}`;
});

/** Waits for the only open ask. */
async function theAsk() {
  await world.until(id, (record) => record.responseState.endsWith("_blocked"));
  const [ask] = world.waybill.asks.list();
  if (!ask) throw new Error("nothing is asked");
  return ask;
}

describe("a message to pi", () => {
  test("is answered once, and proven by the first words of its prompt and the id of pi's row", async () => {
    world.script({ rules: [{ steps: [{ say: "Four." }] }] });
    await world.send(id, "two and two");
    const record = await world.reaches(id, "responded");
    expect(await world.answers()).toEqual(["Four."]);
    expect(world.turns(`[waybill message ${id} from user]`)).toBe(1);
    expect(record.attemptList).toHaveLength(1);
    expect(record.deliveredUserMessageId).toMatch(/-user-\d+$/);
  });

  test("that quotes another message's first words is answered on its own", async () => {
    world.script({ rules: [{ steps: [{ say: "You quote m1." }] }] });
    await world.send(id, "[waybill message m1 from user]");
    const record = await world.reaches(id, "responded");
    expect(record.attemptList).toHaveLength(1);
    expect((await world.delivery("m1")).deliveredUserMessageId).not.toBe(record.deliveredUserMessageId);
  });

  test("is retried in the same session if pi dies before any output", async () => {
    world.script({ rules: [{ once: true, steps: [{ breaks: { how: "hang" } }] }, { steps: [{ say: "Back." }] }] });
    const before = await world.waybill.store.lane("lane");
    await world.send(id, "go on");
    await world.modelIsAsked("go on");
    process.kill(world.program().pid, "SIGKILL");
    await world.reaches(id, "responded");
    expect(world.turns("go on")).toBe(2);
    expect((await world.waybill.store.lane("lane"))?.sessionId).toBe(before?.sessionId);
  });

  test("that calls the model too often ends with an error that names the limit", async () => {
    const reads = { tools: [{ tool: "read", input: { path: "README.md" } }] };
    world.script({ rules: [{ once: true, steps: [reads, reads, reads, reads] }, { steps: [{ say: "Short." }] }] });
    await world.send(id, "read on");
    await world.reaches(id, "responded");
    const events = (await world.waybill.store.eventsBefore("lane", null, 500)).toReversed();
    const errors = events.flatMap((event) => (event.type === "error" ? [event.data.message] : []));
    expect(errors.at(-1)).toMatch(/asked its model 3 times .*piAgentMaxSteps/);
    expect(world.model.calls.filter(({ prompt, rule }) => prompt.includes("read on") && rule === 0)).toHaveLength(3);
  });
});

test("a lane in which pi does not start has a notice, and messages to another lane are answered", async () => {
  const service = serviceOf(world.waybill);
  world.script({ rules: [{ steps: [{ say: "Well." }] }] });
  const extensions = join(world.directory, "bad", ".pi", "extensions");
  mkdirSync(extensions, { recursive: true });
  writeFileSync(join(extensions, "broken.ts"), `throw new Error("cannot be loaded");`);
  await world.send("never", "are you there", { to: { lane: "bad" } });
  await expect
    .poll(async () => (await service.lane("bad")).notices, { timeout: 180_000 })
    .toMatchObject([
      {
        code: "program_failing",
        message: expect.stringMatching(/^pi keeps failing in this lane; .* exit code 1.*cannot be loaded/),
      },
    ]);
  expect(await service.readiness()).toEqual({ ready: true, degraded: true, reasons: ["program_failing:pi"] });
  await world.send(id, "how are you");
  await world.reaches(id, "responded");
  expect((await service.lane("lane")).notices).toEqual([]);
  await world.waybill.interventions.cancel((await world.delivery("never", "bad")).id, "user");
});

describe("a tool of pi", () => {
  test("that was allowed for the session is not asked for again, even by another program", async () => {
    const steps = [{ tools: [bash("echo made >> made.txt")] }, { say: "It is made." }];
    world.script({ rules: [{ steps }] });
    await world.send(id, "make it");
    await world.waybill.interventions.answer((await theAsk()).id, { decision: "always" });
    await world.reaches(id, "responded");
    const { pid, nonce } = world.program();
    process.kill(pid, "SIGTERM");
    // A prompt would be lost with the program, and sent again, until Waybill has noticed its end and removed its record.
    const recorded = () => readProcessRecords(join(world.directory, "pi", "programs")).map((record) => record.nonce);
    await expect.poll(recorded).not.toContain(nonce);
    id = `${id}again`;
    await world.send(id, "make it again");
    expect((await world.reaches(id, "responded")).attemptList).toHaveLength(1);
    expect(existsSync(join(world.work, "made.txt"))).toBe(true);
  });

  test("may not touch denied directories, and no person is asked about it", async () => {
    const steps = [
      {
        tools: [
          { tool: "read", input: { path: "../state/token" } },
          bash(`cat ${join(world.directory, "state", "token")}`),
        ],
      },
      { say: "They said: {{result}}" },
    ];
    world.script({ rules: [{ steps }] });
    await world.send(id, "read the token");
    await world.reaches(id, "responded");
    expect((await world.answers()).at(-1)).toMatch(/lets no tool touch/);
    expect(JSON.stringify(world.model.calls)).not.toContain("secret");
  });
});

test("a message to a lane with an agent is refused, since pi has none", async () => {
  const runtime = world.waybill.runtimes.get("pi");
  const lane = await world.waybill.store.lane("lane");
  if (!runtime || !lane) throw new Error("there is no lane on pi");
  const prompt = { messageId: "x", partId: "x", sessionId: "s", text: "go", attachments: [] };
  const outcome = await runtime.submit({ ...lane, agent: "plan" }, prompt, AbortSignal.timeout(60_000));
  expect(outcome).toEqual({ outcome: "refused", reason: 'pi has no agents, so it cannot use "plan".' });
});

test("a session that a person started can be continued only if it is in the lane's directory", async () => {
  const runtime = world.waybill.runtimes.get("pi");
  const lane = await world.waybill.store.lane("lane");
  if (!runtime?.checkAdoption || !lane) throw new Error("there is no lane on pi");
  const folder = join(world.home, ".pi", "agent", "sessions", "--theirs--");
  mkdirSync(folder, { recursive: true });
  const begun = (name: string, cwd: string) =>
    writeFileSync(
      join(folder, `2026_${name}.jsonl`),
      `${JSON.stringify({ type: "session", version: 3, id: name, cwd })}\n`,
    );
  begun("here", lane.directory);
  begun("there", world.home);
  const check = (session: string) => runtime.checkAdoption?.(lane, session, AbortSignal.timeout(60_000));
  await expect(check("here")).resolves.toBeUndefined();
  await expect(check("there")).rejects.toMatchObject({ code: "session_other_directory" });
  await expect(check("nowhere")).rejects.toMatchObject({ code: "session_unknown" });
  await expect(check(`/../--theirs--/2026_here`)).rejects.toMatchObject({ code: "session_unknown" });
});
