/**
 * Facts in `docs/pi.md` that Waybill relies on, tested on the real program. A new version that behaves differently
 * fails here first.
 */
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../../src/runtimes/json-fields.ts";
import type { PiProgram } from "../support/pi/pi-program.ts";
import { PiWorld } from "../support/pi/pi-program.ts";

const overloaded = { error: { status: 529, message: "overloaded" }, once: true };

let world: PiWorld;
/** Idle before each test that uses it. */
let pi: PiProgram;
beforeAll(async () => {
  world = await new PiWorld().open({
    rules: [
      { when: "be quick", steps: [{ say: "Was quick." }] },
      { when: "hang", steps: [{ breaks: { how: "hang" } }] },
      {
        when: "sleep",
        steps: [
          { tools: [{ tool: "bash", input: { command: "echo $$ > tool.pid; exec sleep 60" } }] },
          { say: "Slept." },
        ],
      },
      { when: "try", steps: [overloaded, overloaded, overloaded, { say: "There you are." }] },
    ],
  });
  pi = await world.start("first").ready();
});
afterAll(() => world.close());

const inSession = async (name: string) => {
  expect(await pi.client.switchSession(world.sessionFile(name))).toBe(true);
  pi.lines = [];
};
const messagesIn = (rows: readonly Json[]) =>
  rows.filter(({ type }) => type === "message").map((row) => row.message as Json);
const place = (fits: (line: Json) => boolean) => pi.lines.findIndex(fits);

describe("a prompt", () => {
  test("is in the session file only once the first answer is complete, and immediately after that", async () => {
    await inSession("late");
    await pi.client.prompt("hang");
    await pi.hears(({ type }) => type === "message_end");
    expect(world.rows("late")).toEqual([]);
    await pi.client.request("abort");
    await pi.until(() => !pi.client.isWorking);
    await pi.turn("be quick");
    await pi.client.prompt("hang again");
    await pi.until(() => pi.client.messages.length === 1);
    // The row is written right after it is reported.
    await pi.client.request("get_state");
    expect(messagesIn(world.rows("late")).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    await pi.client.request("abort");
    await pi.until(() => !pi.client.isWorking);
  });

  test("and its answer have the same times in the events and in the file, but no ids in common", async () => {
    await inSession("moments");
    await pi.turn("be quick");
    const told = pi.lines.filter(({ type }) => type === "message_end").map(({ message }) => message as Json);
    expect(told).toEqual(messagesIn(world.rows("moments")));
    expect(told.map(({ timestamp }) => timestamp)).toEqual([expect.any(Number), expect.any(Number)]);
    expect(told.map(({ id }) => id)).toEqual([undefined, undefined]);
  });

  test("that arrives during a turn is not accepted", async () => {
    await inSession("second");
    await pi.client.prompt("hang");
    await pi.hears(({ type }) => type === "agent_start");
    await expect(pi.client.request("prompt", { message: "be quick" })).rejects.toThrow("already processing");
    await pi.client.request("abort");
    await pi.until(() => !pi.client.isWorking);
  });
});

test("before a retry pi ends the turn, and answers a request for its state only after the retry started", async () => {
  await inSession("tried");
  await pi.turn("try");
  const [ended, tries] = [place(({ type }) => type === "agent_end"), place(({ type }) => type === "auto_retry_start")];
  const answered = place(({ type, id }) => type === "response" && id === "rest:1");
  expect(ended).toBeGreaterThan(0);
  expect(tries).toBeGreaterThan(ended);
  expect(answered).toBeGreaterThan(tries);
  expect(messagesIn(world.rows("tried")).map(({ stopReason }) => stopReason)).toEqual([undefined, "error", "stop"]);
});

test("a program exits mid-turn when its input ends, and processes of its tools continue", async () => {
  const alone = await world.start("alone").ready();
  await alone.client.prompt("sleep");
  await alone.until(() => alone.client.asks.length > 0);
  const [ask] = alone.client.asks;
  if (ask) alone.client.answer(ask.id, { decision: "once" });
  const note = join(world.directory, "tool.pid");
  await alone.hears(({ type }) => type === "tool_execution_update");
  while (!existsSync(note) || readFileSync(note, "utf8") === "") await wait(20);
  alone.child.stdin.end();
  expect(await alone.exit).toEqual([0, null]);
  expect(process.kill(Number(readFileSync(note, "utf8")), "SIGKILL")).toBe(true);
  expect(messagesIn(world.rows("alone")).map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("a session continues in the directory where it began, wherever pi is started", async () => {
  await inSession("place");
  await pi.turn("be quick");
  const elsewhere = join(world.home, "elsewhere");
  mkdirSync(elsewhere);
  const other = await world.start("place", { directory: elsewhere }).ready();
  await other.turn("be quick");
  expect(world.rows("place").filter(({ type }) => type === "session")).toMatchObject([{ cwd: world.directory }]);
  expect(messagesIn(world.rows("place"))).toHaveLength(4);
});

test("an extension that cannot be loaded ends the program with an error", async () => {
  const broken = join(world.home, "broken.ts");
  writeFileSync(broken, "throw new Error('no gate');");
  const program = world.start("broken", { args: ["--extension", broken] });
  // At its exit, its last words may not have been read yet.
  expect(await once(program.child, "close")).toEqual([1, null]);
  expect(program.words).toContain("no gate");
});
