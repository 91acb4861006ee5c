/** The signals of a lane's turns on the real OpenCode server, even when the event stream breaks or the server dies. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Signal } from "../../src/core/turn/signal.ts";
import { TurnTracker } from "../../src/core/turn/turn-tracker.ts";
import type { Draft } from "../../src/core/turn/universal-event.ts";
import { isKept } from "../support/core/events.ts";
import { lines } from "../support/opencode/opencode-fixture.ts";
import { OpencodeWorld } from "../support/opencode/opencode-world.ts";

let world: OpencodeWorld;
let told: Draft[] = [];
let wake = () => {};
beforeAll(async () => {
  world = await new OpencodeWorld({ behindProxy: true }).start();
  writeFileSync(join(world.work, "README.md"), "# Project\n\nOne line.\n");
  const tracker = new TurnTracker();
  world.runtime.onSignal((lane: string, signal: Signal) => {
    expect(lane).toBe("lane");
    told.push(...tracker.take(signal).filter(isKept));
    wake();
  });
});
afterAll(() => world.dispose());

async function turnsEnd(count: number): Promise<string[]> {
  const ends = () => told.filter(({ type }) => type === "turn.ended");
  while (ends().length < count) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  return told.flatMap((event) => (event.type === "turn.ended" ? [event.data.reason] : []));
}

/** Ids and paths differ from run to run. */
function withoutIds(drafts: readonly Draft[]): string[] {
  return lines(drafts).map((line) =>
    line
      .replace(/msg_\w+ ?/g, "")
      .replace(/\/\S+\//, "")
      .replace(/prompt '.*/s, "prompt")
      .trim(),
  );
}

test("reading and editing a file and a final text are one turn, in the order in which they happened", async () => {
  const edit = { filePath: "README.md", oldString: "One line.", newString: "Two lines." };
  world.script({
    rules: [
      {
        when: "change it",
        steps: [
          { say: "I read it.", tools: [{ tool: "read", input: { filePath: "README.md" } }] },
          { say: "I edit it.", tools: [{ tool: "edit", input: edit }] },
          { say: "It is changed: 2 lines." },
        ],
      },
    ],
  });
  await world.send("seed", "Please change it.");
  expect(await turnsEnd(1)).toEqual(["completed"]);
  await world.reaches("seed", "responded");
  expect(withoutIds(told)).toEqual([
    "session.started",
    "turn.started",
    "prompt",
    "message begins",
    "tool_call read",
    "tool_result read",
    "message ends 'I read it.'",
    "message begins",
    "tool_call edit",
    "tool_result edit",
    "file_change README.md modified with diff",
    "message ends 'I edit it.'",
    "message begins",
    "message ends 'It is changed: 2 lines.'",
    "turn.ended completed",
  ]);
});

test("events that were missed mid-turn are restored from stored rows, with one end and every item once", async () => {
  told = [];
  world.script({ rules: [{ when: "take a while", steps: [{ waitMs: 1500, say: "It took 2 seconds." }] }] });
  await world.send("cut", "Please take a while.");
  await world.modelIsAsked("take a while");
  world.opencode.proxy.refuseStreams();
  const record = await world.until("cut", ({ runtimeSessionId }) => runtimeSessionId !== null);
  await world.opencode.rests(record.runtimeSessionId ?? "");
  world.opencode.proxy.heal();
  expect(await turnsEnd(1)).toEqual(["completed"]);
  await world.reaches("cut", "responded");
  expect(withoutIds(told)).toEqual([
    "turn.started",
    "prompt",
    "message begins",
    "message ends 'It took 2 seconds.'",
    "turn.ended completed",
  ]);
});

test("a turn that died with its server is interrupted, and the next attempt is another turn", async () => {
  told = [];
  const steps = [{ waitMs: 3000, say: "Here it is: 17." }];
  world.script({
    rules: [
      { when: "die once", once: true, steps },
      { when: "die once", steps: [{ say: "Here it is: 18." }] },
    ],
  });
  await world.send("dies", "Please die once.");
  await world.modelIsAsked("die once");
  await world.opencode.end("SIGKILL");
  await world.opencode.comeBack();
  expect(await turnsEnd(2)).toEqual(["interrupted", "completed"]);
  await world.reaches("dies", "responded");
  expect(told.filter(({ type }) => type === "turn.started")).toHaveLength(2);
});

test("a session without a lane is never published", async () => {
  told = [];
  world.script({ rules: [{ when: "alone", steps: [{ say: "Nobody listens." }] }] });
  const { id } = await world.opencode.server.call<{ id: string }>("POST", "/session", { title: "somebody else's" });
  await world.opencode.server.call("POST", `/session/${id}/message`, { parts: [{ type: "text", text: "alone" }] });
  await world.send("after", "Say something alone.");
  expect(await turnsEnd(1)).toEqual(["completed"]);
  expect(told.filter(({ session }) => session === id)).toEqual([]);
});
