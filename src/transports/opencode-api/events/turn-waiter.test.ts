import { expect, it, test } from "vitest";
import { anEvent } from "../../../../test/support/core/events.ts";
import { settled } from "../../../../test/support/core/manual-clock.ts";
import { aMessage } from "../../../../test/support/core/records.ts";
import { serviceOf } from "../../../../test/support/daemon/service-of.ts";
import type { World } from "../../../../test/support/daemon/waybill.ts";
import { startWorld } from "../../../../test/support/daemon/waybill.ts";
import { aHub } from "../../../../test/support/opencode/hub-client.ts";
import { beginNotes, endNote } from "../../../core/turn/delivery-notes.ts";
import type { EventBody } from "../../../core/turn/universal-event.ts";
import { advanceTurnWait, newTurnWait } from "./turn-waiter.ts";

const slow = { always: [{ steps: [{ say: "Well." }, { wait: 5000 }, { say: "Done." }] }] };

/** Starts a wait and records its result. */
function waiting(hub: ReturnType<typeof aHub>, messageId: string, signal = new AbortController().signal) {
  const state: { end: unknown; error: unknown } = { end: null, error: null };
  const done = hub.turnEnd({ lane: "lane", messageId, signal }).then(
    (end) => {
      state.end = end;
    },
    (error: unknown) => {
      state.error = error;
    },
  );
  return { state, done };
}

async function lastTurnIsOver(world: World): Promise<boolean> {
  const [event] = (await world.waybill.store.eventsBefore("lane", null, 50)).filter(({ type }) =>
    type.startsWith("turn."),
  );
  return event?.type === "turn.ended";
}

test("a wait ends with the turn that answers the message, and not before", async () => {
  const world = await startWorld({ script: slow });
  const { state, done } = waiting(aHub(world), "m1");
  await settled();
  await world.send({ id: "m1" });
  await world.clock.advance(1000);
  expect(state.end).toBeNull();
  await world.clock.until(() => lastTurnIsOver(world));
  await done;
  expect(state).toMatchObject({ end: { turn: 1 }, error: null });
});

test("another message's turn does not end the wait", async () => {
  const world = await startWorld({ script: slow });
  const hub = aHub(world);
  await world.send({ id: "m1" });
  await world.send({ id: "m2" });
  const { state, done } = waiting(hub, "m2");
  await world.reaches("m1", "responded");
  expect(state.end).toBeNull();
  await world.reaches("m2", "responded");
  await done;
  expect(state.end).toMatchObject({ turn: 2 });
});

test("a turn that ended before the wait began, even before a restart, ends it immediately", async () => {
  const world = await startWorld({ script: slow });
  await world.send({ id: "m1" });
  await world.reaches("m1", "responded");
  await settled();
  const here = waiting(aHub(world), "m1");
  await here.done;
  await world.stop();
  await world.start();
  const later = waiting(aHub(world), "m1");
  await later.done;
  expect([here.state.end, later.state.end]).toMatchObject([{ turn: 1 }, { turn: 1 }]);
});

/** Starts the wait now, mid-turn, and expects it to last until the turn ends. */
async function expectToWaitForTurn(world: World, turn: number): Promise<void> {
  const { state, done } = waiting(aHub(world), "m1");
  await settled();
  expect(state.end).toBeNull();
  await world.clock.until(() => lastTurnIsOver(world));
  await done;
  expect(state.end).toMatchObject({ turn });
}

test("a wait that begins mid-turn lasts until the turn ends", async () => {
  const world = await startWorld({ script: slow });
  await world.send({ id: "m1" });
  await world.clock.advance(1000);
  await expectToWaitForTurn(world, 1);
});

test("a failed turn does not end the wait while the message is retried", async () => {
  const turns = [{ steps: [{ error: "The model is overloaded (529)." }] }, { steps: [{ say: "Now." }] }];
  const world = await startWorld({ script: { turns } });
  const { state, done } = waiting(aHub(world), "m1");
  await settled();
  await world.send({ id: "m1" });
  await world.clock.until(() => lastTurnIsOver(world));
  expect(state.end).toBeNull();
  await world.reaches("m1", "responded");
  await done;
  expect(state.end).toEqual({ turn: 2, delivery: "responded" });
});

test("a delivery that ends without a turn ends the wait", async () => {
  const world = await startWorld({ script: slow });
  const service = serviceOf(world.waybill);
  await service.pause("lane", "wait");
  const { state, done } = waiting(aHub(world), "m1");
  await settled();
  const { id } = await world.send({ id: "m1" });
  expect(state.end).toBeNull();
  await service.cancel(id);
  await done;
  expect(state.end).toEqual({ turn: null, delivery: "cancelled" });
});

test("a wait for a failed message that was retried lasts until its new turn is over", async () => {
  const world = await startWorld({ script: { turns: [{}, {}, {}], ...slow } });
  const { id } = await world.send({ id: "m1" });
  await world.reaches("m1", "failed_terminal");
  await serviceOf(world.waybill).retry(id);
  await world.clock.advance(1000);
  await expectToWaitForTurn(world, 4);
});

test("an aborted wait ends", async () => {
  const world = await startWorld();
  const stop = new AbortController();
  const { state, done } = waiting(aHub(world), "never", stop.signal);
  await settled();
  stop.abort(new Error("gone"));
  await done;
  expect(state.error).toEqual(new Error("gone"));
});

test("a wait for a message whose events are no longer kept ends immediately", async () => {
  const long = Array.from({ length: 60 }, () => ({ tool: "read", output: "x" }));
  const turns = [{ steps: [{ say: "Well." }] }, { steps: [...long, { say: "Done." }] }];
  const world = await startWorld({ script: { turns } });
  for (const id of ["m1", "m2"]) {
    await world.send({ id });
    await world.reaches(id, "responded");
    await world.clock.until(() => lastTurnIsOver(world));
  }
  await settled();
  const now = world.clock.now();
  await world.waybill.store.prune({ responded: 0, failed: 0, log: 0, events: now + 1, stats: 0 });
  const kept = await world.waybill.store.eventsBefore("lane", null, 1000);
  expect(kept.map(({ turn }) => turn)).not.toContain(1);
  const { state, done } = waiting(aHub(world), "m1");
  await done;
  expect(state).toMatchObject({ end: { turn: null, delivery: "responded" }, error: null });
});

const ended = (rounds: number) => endNote({ messageId: "m1", rounds, status: "failed_terminal", lastReason: null });

function after(...bodies: EventBody[]) {
  const events = bodies.map((one, index) => anEvent({ seq: index + 1, source: "daemon" }, one));
  return events.reduce(advanceTurnWait, newTurnWait("m1"));
}

it("an end that is noted only after a person's retry does not end the retry", () => {
  const message = aMessage({ id: "m1" });
  const begun = (round: number) => beginNotes(message, round);
  expect(after(...begun(1), ...begun(2), ended(1)).end).toBeNull();
  expect(after(...begun(1), ...begun(2), ended(1), ended(2)).end).toEqual({ turn: null, delivery: "failed_terminal" });
});
