import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Lane } from "../../core/lane/lane.ts";
import type { Signal } from "../../core/turn/signal.ts";
import { TurnTracker } from "../../core/turn/turn-tracker.ts";
import { systemClock } from "../../platform/clock.ts";
import { pi } from "./descriptor.ts";
import { PiRuntime } from "./runtime.ts";

let directory = "";
let runtime: PiRuntime;
const lane = (path: string) => ({ id: "lane", directory: path, agent: null, model: null }) as Lane;
const never = new AbortController().signal;

const started = (program: string) =>
  new PiRuntime({
    agent: pi.agent,
    ...{ program, env: { HOME: directory, PATH: "" }, directory, clock: systemClock },
    ...{ provider: "p", model: "m", apiKey: null, maxSteps: 5, idleMs: 1000, maxResting: 1, onError: () => {} },
  });

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "pi-runtime-"));
  runtime = started(process.execPath);
});
afterEach(async () => {
  await runtime.close();
  rmSync(directory, { recursive: true });
});

const prompt = async () => ({
  ...runtime.idsFrom("0123456789abcdef0123456789abcdef"),
  ...{ sessionId: await runtime.openSession(), text: "go", attachments: [] },
});

test("a lane with a missing directory sends nothing, and the program still counts as healthy", async () => {
  const gone = lane(join(directory, "gone"));
  const outcome = await runtime.submit(gone, await prompt(), never);
  expect(outcome).toEqual({ outcome: "not_sent", reason: `directory_missing: ${gone.directory} does not exist` });
  expect(await runtime.health(never, [gone])).toBeNull();
});

test("a missing program is reported, and nothing is sent", async () => {
  runtime = started("/nowhere/pi");
  expect(await runtime.health(never, [])).toMatch(
    /piBin \(PI_BIN\) names "\/nowhere\/pi", but that program does not exist/,
  );
  expect(await runtime.submit(lane(directory), await prompt(), never)).toMatchObject({ outcome: "not_sent" });
});

test("a program that cannot be run is unhealthy in all lanes, even in those that have not tried it", async () => {
  const program = join(directory, "pi");
  writeFileSync(program, "#!/nowhere/node\n", { mode: 0o755 });
  runtime = started(program);
  const tried = lane(directory);
  expect(await runtime.submit(tried, await prompt(), never)).toMatchObject({ outcome: "not_sent" });
  expect(await runtime.health(never, [tried, { ...tried, id: "untried" }])).toMatch(/could not be started/);
});

test("a turn without anything written counts as interrupted after a restart", async () => {
  const { sessionId } = await prompt();
  const tracker = new TurnTracker();
  const at = { at: 1, session: sessionId };
  tracker.take({ ...at, type: "prompt", message: "m", parts: [{ type: "text", id: "m:text", text: "go" }] });
  const told: Signal[] = [];
  runtime.onSignal((_lane, signal) => told.push(signal));
  await runtime.resync(lane(directory), sessionId);
  const ends = told.flatMap((signal) => tracker.take(signal)).filter(({ type }) => type === "turn.ended");
  expect(ends).toMatchObject([{ data: { reason: "interrupted" }, synthetic: true }]);
});
