/** A person stops a lane at any moment after a message was sent, whatever the agent and the store are doing then. */
import fc from "fast-check";
import { expect } from "vitest";
import type { UniversalEvent } from "../../../src/core/turn/universal-event.ts";
import { SessionProjection } from "../../../src/transports/opencode-api/projection/session-projection.ts";
import { settled } from "../core/manual-clock.ts";
import { World } from "../daemon/waybill.ts";
import { settings } from "../opencode/projected-lane.ts";

const lastWords = "Done, 3 files.";
const takes = fc.constantFrom(0, 0, 3, 2000);

const anyStop = fc.record({
  arrival: fc.constantFrom(...(["normal", "normal", "after_timeout", "lost", "forgotten", "unavailable"] as const)),
  hints: fc.boolean(),
  /** Whether the lane already has a session. */
  hasSession: fc.boolean(),
  /** How long the agent takes to open a session, to receive a prompt, and to confirm it. */
  opening: takes,
  arriving: takes,
  answering: takes,
  /** The moment of the stop: event-loop turns, and time. */
  turns: fc.nat({ max: 40 }),
  ms: fc.constantFrom(0, 0, 1, 2, 5, 500, 1999, 2000, 4500),
  stops: fc.constantFrom(1, 1, 3),
  restarts: fc.boolean(),
});
type EarlyStop = typeof anyStop extends fc.Arbitrary<infer T> ? T : never;

export async function everyStopHolds(numRuns: number): Promise<void> {
  await fc.assert(fc.asyncProperty(anyStop, stopHolds), { numRuns });
}

async function stopHolds(stop: EarlyStop): Promise<void> {
  const { arrival, hints, hasSession, turns, ms } = stop;
  const works = { when: "m1", arrival, steps: [{ wait: 5000 }, { say: lastWords }] };
  const script = { turns: [{ when: "m0", steps: [{ say: "Here, 1." }] }], always: [works], hints };
  const world = await new World({ script }).start();
  try {
    if (hasSession) {
      await world.send({ id: "m0" });
      await world.reaches("m0", "responded");
    }
    takeTime(world, stop);
    await world.waybill.admission.admit({ id: "m1", to: { lane: "lane" }, from: "user", text: "m1" });
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    if (ms > 0) await world.clock.advance(ms);
    const stopped = Promise.all(
      Array.from({ length: stop.stops }, () => world.waybill.interventions.stop("lane", "ada")),
    );
    if (stop.restarts) await restart(world, stopped);
    await world.clock.advance(10 * 60_000);
    await stopped;
    await checkStopped(world);
  } finally {
    await world.dispose();
  }
}

function takeTime({ stub, clock }: World, { opening, arriving, answering }: EarlyStop): void {
  const { openSession, submit } = stub;
  const passes = (ms: number) =>
    ms === 0 ? undefined : new Promise<void>((resolve) => clock.at(clock.now() + ms, resolve));
  stub.openSession = async (lane) => {
    await passes(opening);
    return openSession.call(stub, lane);
  };
  stub.submit = async (lane, prompt, signal) => {
    await passes(arriving);
    const outcome = await submit.call(stub, lane, prompt, signal);
    await passes(answering);
    return outcome;
  };
}

/** Once the stop is durable, the daemon may exit at any moment. */
async function restart(world: World, stopped: Promise<unknown>): Promise<void> {
  await settled();
  const closing = world.stop();
  await world.clock.advance(20_000);
  await Promise.all([closing, stopped]);
  await world.start();
}

async function checkStopped(world: World): Promise<void> {
  const { store } = world.waybill;
  expect(world.errors).toEqual([]);
  expect(await store.check()).toEqual([]);
  const record = await world.delivery("m1");
  expect(record).toMatchObject({ status: "cancelled", lastReason: "stopped_by_person" });
  expect(record.turnEndedAt).not.toBeNull();
  expect(world.prompts("m1").length).toBeLessThanOrEqual(1);
  const lane = await store.lane("lane");
  if (lane?.sessionId) {
    const { status, rows } = await world.stub.read(lane, lane.sessionId, null);
    expect(status).toBe("idle");
    expect(rows.filter(({ text }) => text === lastWords)).toEqual([]);
  }
  expect(shownOf((await store.eventsBefore("lane", null, 500)).reverse())).toEqual({
    prompts: 1,
    aborted: 1,
    busy: 1,
    idle: 1,
  });
}

/** The events for `m1` that OpenCode's clients get. */
function shownOf(events: readonly UniversalEvent[]) {
  const projection = new SessionProjection({ ...settings, lane: "lane" });
  const first = events.findIndex(({ type, data }) => type === "item.started" && data.item.id === "delivery:m1");
  const published = events.flatMap((event, index) => {
    const told = projection.take(event);
    return index < first ? [] : told;
  });
  const infos = new Map(
    published.flatMap(({ type, properties }) => {
      const info = properties.info as { id: string; role: string; error?: { name: string } };
      return type === "message.updated" ? [[info.id, info] as const] : [];
    }),
  );
  const status = (wanted: string) =>
    published.filter(({ type, properties }) => {
      return type === "session.status" && (properties.status as { type: string }).type === wanted;
    }).length;
  const count = (fits: (info: { role: string; error?: { name: string } }) => boolean) =>
    [...infos.values()].filter(fits).length;
  return {
    prompts: count(({ role }) => role === "user"),
    aborted: count(({ error }) => error?.name === "MessageAbortedError"),
    busy: status("busy"),
    idle: status("idle"),
  };
}
