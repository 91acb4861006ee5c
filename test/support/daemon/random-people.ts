/** People who intervene at any moment, with arbitrary agents. Whatever they do, every message ends. */
import fc from "fast-check";
import { expect } from "vitest";
import { isOwed } from "../../../src/core/delivery/record.ts";
import type { ReadCommitter } from "../../../src/mail/read-commit.ts";
import { answerAsks, anyTurn, hasEnded, messageIds } from "../agents/random-agents.ts";
import { settled } from "../core/manual-clock.ts";
import { World } from "./waybill.ts";

const anyDeed = fc.record({
  after: fc.constantFrom(0, 1, 5000, 20_000, 25_000, 60_000, 300_000, 1_000_000),
  what: fc.constantFrom("cancel", "withdraw", "retry", "stop", "release", "pause", "resume", "look", "restart"),
  to: fc.constantFrom(...messageIds),
  waited: fc.boolean(),
});
type AgentAction = typeof anyDeed extends fc.Arbitrary<infer T> ? T : never;

const anyLife = fc.record({
  turns: fc.array(anyTurn, { minLength: 3, maxLength: 8 }),
  deeds: fc.array(anyDeed, { maxLength: 8 }),
  contract: fc.constantFrom("text" as const, "tool" as const),
  sendingAgain: fc.constantFrom("reruns" as const, "swallowed" as const),
  hints: fc.boolean(),
  /** For reads in a second step: which of the first tries fail. Null if they are committed with the ledger. */
  readsFail: fc.option(fc.array(fc.boolean(), { maxLength: 6 })),
});

export async function everyMessageEndsWhateverPeopleDo(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(anyLife, async ({ turns, deeds, contract, sendingAgain, hints, readsFail }) => {
      const reads = readsFail ? { reads: secondStepReads(readsFail) } : {};
      const world = await new World({
        script: { turns, hints },
        lanes: [{ contract }],
        sendingAgain,
        ...reads,
      }).start();
      try {
        for (const id of messageIds) await world.send({ id });
        for (const deed of deeds) await perform(world, deed);
        await world.waybill.interventions.resume("lane");
        await world.clock.until(async () => {
          await answerAsks(world, () => "once");
          const records = await Promise.all(messageIds.map((id) => world.delivery(id)));
          return records.every((record) => hasEnded(record) && !isOwed(record));
        });
        await checkRun(world);
      } finally {
        await world.dispose();
      }
    }),
    { numRuns },
  );
}

async function perform(world: World, { after, what, to, waited }: AgentAction): Promise<void> {
  await world.clock.advance(after);
  const { interventions, courier } = world.waybill;
  const { id } = await world.delivery(to);
  const deeds: Record<AgentAction["what"], () => Promise<unknown>> = {
    cancel: () => interventions.cancel(id, "ada"),
    withdraw: () => interventions.withdraw(id, "ada"),
    retry: () => interventions.retry(id, "ada"),
    stop: () => interventions.stop("lane", "ada"),
    release: () => interventions.release("lane", "ada"),
    pause: () => interventions.pause("lane", "lunch"),
    resume: () => interventions.resume("lane"),
    look: () => courier.moveLane("lane", { reconcile: true }),
    restart: async () => {
      await world.stop();
      await world.start();
    },
  };
  const done = deeds[what]().catch((error) => void world.errors.push(error));
  // A restart finishes before anything else happens; other actions may overlap.
  if (what === "restart") await done;
  else if (waited) await settled();
}

async function checkRun(world: World): Promise<void> {
  expect(world.errors).toEqual([]);
  expect(await world.waybill.store.check()).toEqual([]);
  const prompts = world.prompts();
  for (const id of messageIds) {
    for (const attempt of (await world.delivery(id)).attemptList) {
      const arrived = prompts.filter((prompt) => prompt.id === attempt.messageId && prompt.arrival !== "unavailable");
      expect(arrived.length).toBeLessThanOrEqual(3);
    }
  }
}

function secondStepReads(fails: readonly boolean[]): ReadCommitter {
  const left = [...fails];
  return {
    commitsWithLedger: false,
    commitRead: async () => (left.shift() ? { outcome: "failed", error: "locked" } : { outcome: "committed" }),
  };
}
