/** Agents with arbitrary behaviour, and the rules that still hold. A failure prints the seed that replays it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { defaultPolicy } from "../../../src/core/delivery/policy.ts";
import type { DeliveryRecord } from "../../../src/core/delivery/record.ts";
import { isOutstanding } from "../../../src/core/delivery/record.ts";
import type { StubScriptInput } from "../../../src/runtimes/stub/script.ts";
import { World } from "../daemon/waybill.ts";

type TurnInput = NonNullable<StubScriptInput["turns"]>[number];

const emptyDirectory = mkdtempSync(join(tmpdir(), "waybill-empty-"));
process.on("exit", () => rmSync(emptyDirectory, { recursive: true, force: true }));

const step = fc.constantFrom<NonNullable<TurnInput["steps"]>[number]>(
  { say: "Port 8080." },
  { say: "Got it" },
  { think: "Hm." },
  { tool: "read", output: "…" },
  { tool: "bash", output: "ok" },
  { tool: "write", output: "ok" },
  { say: "Wrote nothing-there.txt." },
  { tool: "bash", fails: true },
  { reply: "It is 8080." },
  { reply: "Will do" },
  { ask: "permission" },
  { wait: 40_000 },
  { error: "the model went away" },
  { crash: true },
  { hang: true },
  { stale: true },
);
export const anyTurn: fc.Arbitrary<TurnInput> = fc.record({
  arrival: fc.constantFrom("normal", "normal", "normal", "lost", "forgotten", "after_timeout", "unavailable"),
  steps: fc.array(step, { maxLength: 4 }),
});
const anyLife = fc.record({
  turns: fc.array(anyTurn, { minLength: 3, maxLength: 8 }),
  hints: fc.boolean(),
  contract: fc.constantFrom("text" as const, "tool" as const),
  sendingAgain: fc.constantFrom("reruns" as const, "swallowed" as const),
  modes: fc.tuple(
    ...Array.from({ length: 3 }, () => fc.constantFrom("ask" as const, "do" as const, "notify" as const)),
  ),
  restlessClock: fc.boolean(),
  restarts: fc.array(fc.integer({ min: 1, max: 300_000 }), { maxLength: 3 }),
  followUpMissingFiles: fc.boolean(),
  decisions: fc.infiniteStream(fc.constantFrom("once" as const, "reject" as const)),
});

export const messageIds = ["m1", "m2", "m3"];
export const hasEnded = (record: DeliveryRecord) =>
  ["responded", "failed_terminal", "cancelled"].includes(record.status) && !isOutstanding(record);

/** Whatever the agent does, and whenever Waybill is restarted, every message ends, in order, within its budget. */
export async function everyMessageEnds(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(anyLife, async ({ modes, restarts, decisions, ...life }) => {
      const { turns, hints, contract, sendingAgain, restlessClock, followUpMissingFiles } = life;
      const world = await new World({
        script: { turns, hints },
        lanes: [{ contract, directory: emptyDirectory }],
        policy: { followUpMissingFiles },
        sendingAgain,
        restlessClock,
      }).start();
      try {
        for (const [place, id] of messageIds.entries()) {
          await world.send({ id, text: `<${id}>`, actionMode: modes[place] ?? undefined });
        }
        for (const wait of restarts) {
          await world.clock.advance(wait);
          await world.stop();
          await world.start();
        }
        await world.clock.until(async () => {
          await answerAsks(world, () => decisions.next().value ?? "once");
          const records = await Promise.all(messageIds.map((id) => world.delivery(id)));
          return records.every(hasEnded);
        });
        await checkRun(world);
      } finally {
        await world.dispose();
      }
    }),
    { numRuns },
  );
}

export async function answerAsks(world: World, decide: () => "once" | "reject"): Promise<void> {
  const lane = await world.waybill.store.lane("lane");
  if (!lane?.sessionId) return;
  for (const ask of (await world.stub.read(lane, lane.sessionId, null)).asks) {
    await world.stub.answer(lane, ask.id, { decision: decide() });
  }
}

async function checkRun(world: World) {
  expect(world.errors).toEqual([]);
  expect(world.clock.pending).toBeLessThanOrEqual(2);
  expect(await world.waybill.store.check()).toEqual([]);
  const records = await Promise.all(messageIds.map((id) => world.delivery(id)));
  const prompts = world.prompts();
  const ownerOf = (runtimeId: string) =>
    records.find((record) => record.attemptList.some((attempt) => attempt.messageId === runtimeId));

  for (const record of records) {
    const mine = prompts.filter((prompt) => ownerOf(prompt.id) === record);
    const used = new Set(mine.map((prompt) => prompt.id));
    expect(used.size).toBeLessThanOrEqual(defaultPolicy.maxAttempts + defaultPolicy.maxRepairs + 2);
    for (const runtimeId of used) {
      const sends = mine.filter((prompt) => prompt.id === runtimeId && prompt.arrival !== "unavailable");
      expect(sends.length).toBeLessThanOrEqual(3);
    }
    const message = await world.waybill.store.message({ kind: "lane", lane: "lane" }, record.messageId);
    expect(message?.readAt === null).toBe(record.status === "failed_terminal");
  }
  for (const [place, prompt] of prompts.entries()) {
    const record = ownerOf(prompt.id);
    expect(record).toBeDefined();
    const before = new Set(prompts.slice(0, place).map((earlier) => ownerOf(earlier.id)));
    for (const other of before) {
      if (other && other !== record) expect(releasedAt(other)).toBeLessThanOrEqual(prompt.at);
    }
  }
}

/** When the delivery gave its lane back; late proof comes after that. */
function releasedAt(record: DeliveryRecord): number {
  return record.failedAt ?? record.turnEndedAt ?? Number.POSITIVE_INFINITY;
}
