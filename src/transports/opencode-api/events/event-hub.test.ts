/** The events that OpenCode's clients get: live, after a disconnect, after a restart, and with many clients. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { settled } from "../../../../test/support/core/manual-clock.ts";
import { serviceOf } from "../../../../test/support/daemon/service-of.ts";
import type { WorldOptions } from "../../../../test/support/daemon/waybill.ts";
import { aLane, startWorld, World } from "../../../../test/support/daemon/waybill.ts";
import { aClient, aHub, durable, withoutLiveTexts } from "../../../../test/support/opencode/hub-client.ts";
import type { Lane } from "../../../core/lane/lane.ts";
import { universalEventTypes } from "../../../core/turn/universal-event.ts";
import { SessionProjection } from "../projection/session-projection.ts";
import type { SessionSettings } from "../projection/session-view.ts";
import { sessionView } from "../projection/session-view.ts";
import type { SseFrame } from "./frames.ts";

const busy: NonNullable<WorldOptions["script"]> = {
  always: [{ steps: [{ say: "I begin" }, { tool: "read", input: { a: 1 }, output: "x" }, { say: "It is done." }] }],
};

const types = (lines: readonly SseFrame[]) => lines.map(({ type }) => type);
const propertiesOf = ({ plain }: SseFrame) =>
  (JSON.parse(plain.slice(plain.indexOf("data: ") + 6)) as { properties: Record<string, unknown> }).properties;

/** A client that is connected from before the first message until after the last. */
async function published(world: World, hub = aHub(world), messages = ["m1"]) {
  const client = await aClient(hub);
  for (const id of messages) {
    await world.send({ id });
    await world.reaches(id, "responded");
  }
  await settled();
  const replay = await aClient(hub, { after: client.from });
  return { hub, client, replay };
}

test("a turn is published as OpenCode does it, with one idle at its end", async () => {
  const world = await startWorld({ script: busy });
  const { client } = await published(world);
  const all = types(client.seen);
  expect(all).toContain("message.updated");
  expect(all).toContain("message.part.updated");
  expect(all.filter((type) => type === "session.idle")).toHaveLength(1);
  expect(all.filter((type) => type === "session.updated").length).toBeGreaterThan(0);
  expect(all.indexOf("session.idle")).toBeGreaterThan(all.indexOf("message.part.updated"));
});

test("a client that reconnects gets everything published live except deltas, identical and in order", async () => {
  const world = await startWorld({ script: busy });
  const { client, replay } = await published(world, aHub(world), ["m1", "m2"]);
  expect(replay.seen.length).toBeGreaterThan(15);
  const again = withoutLiveTexts(replay.seen, client.seen);
  expect(durable(client.seen, again).map(withoutId)).toEqual(again.map((line) => withoutId(line.plain)));
});

test("text before a call is published once when complete, and again with its message only to clients that missed it", async () => {
  const world = await startWorld({
    script: { always: [{ steps: [{ say: "I begin" }, { ask: "permission", title: "bash: ls" }, { say: "Done." }] }] },
  });
  const hub = aHub(world);
  const client = await aClient(hub);
  await world.send({ id: "m1" });
  await world.clock.until(async () => (await world.waybill.asks.list()).length > 0);
  await settled();
  const late = await aClient(hub);
  const back = await aClient(hub, { after: client.from });
  const [ask] = await world.waybill.asks.list();
  await world.waybill.interventions.answer(ask?.id ?? "", { decision: "once" });
  await world.reaches("m1", "responded");
  await settled();
  const begins = ({ seen }: { seen: readonly SseFrame[] }) =>
    seen.filter((line) => {
      const { part } = propertiesOf(line) as { part?: { text?: string; time?: { end?: number } } };
      return part?.text === "I begin" && part.time?.end !== undefined;
    });
  expect([client, late, back].map((one) => begins(one).length)).toEqual([1, 1, 1]);
  expect(begins(late)).toEqual(begins(back));
  expect(begins(client)).not.toEqual(begins(late));
});

test("a client that disconnects after any OpenCode event, even within one of Waybill's, resumes with the next", async () => {
  const world = await startWorld({ script: busy });
  const { hub, replay } = await published(world);
  expect(replay.seen.some(({ at }) => at.seen > 0)).toBe(true);
  for (const [index, line] of replay.seen.entries()) {
    const again = await aClient(hub, { after: line.at });
    const rest = replay.seen.slice(index + 1).map(({ id }) => id);
    expect(again.seen.map(({ id }) => id)).toEqual(rest);
    await again.leave();
  }
});

test("a client that disconnects in the middle of a live event resumes with the next, even if it got deltas", async () => {
  const world = await startWorld({ script: busy });
  const { hub, client, replay } = await published(world);
  for (const [index, line] of client.seen.entries()) {
    const again = await aClient(hub, { after: line.at });
    const seen = [...client.seen.slice(0, index + 1), ...again.seen];
    const rest = withoutLiveTexts(replay.seen, seen);
    expect(durable(seen, rest).map(withoutId)).toEqual(rest.map((one) => withoutId(one.plain)));
    await again.leave();
  }
});

test("a client resumes the same way after a restart of the daemon", async () => {
  const world = await startWorld({ script: busy });
  const { replay } = await published(world);
  const [middle] = replay.seen.filter(({ at }) => at.seen > 0).slice(-3);
  await world.stop();
  await world.start();
  const again = await aClient(aHub(world), { ...(middle ? { after: middle.at } : {}) });
  const rest = replay.seen.slice(replay.seen.findIndex(({ id }) => id === middle?.id) + 1);
  expect(again.seen.map(({ plain }) => plain)).toEqual(rest.map(({ plain }) => plain));
  await world.send({ id: "m9" });
  await world.reaches("m9", "responded");
  expect(types(again.seen.slice(rest.length))).toContain("session.idle");
});

test("a hundred clients get the same string, and each event is translated once", async () => {
  const world = await startWorld({ script: busy });
  let taken = 0;
  const hub = aHub(world, {
    createProjection: (settings: SessionSettings) => {
      const projection = new SessionProjection(settings, { following: true });
      const take = projection.take.bind(projection);
      projection.take = (event) => {
        taken += 1;
        return take(event);
      };
      return projection;
    },
  });
  const clients = await Promise.all(Array.from({ length: 100 }, () => aClient(hub)));
  const stored = world.waybill.store.logEnd();
  await world.send({ id: "m1" });
  await world.reaches("m1", "responded");
  await settled();
  const { items } = await world.waybill.store.readLog({ after: stored, types: universalEventTypes, limit: 500 });
  // One projection with deltas, and one without.
  const deltas = clients[0]?.seen.filter(({ type }) => type === "message.part.delta").length ?? 0;
  expect(taken).toBeLessThanOrEqual(2 * items.length + deltas);
  for (const { seen } of clients) {
    expect(seen.length).toBe(clients[0]?.seen.length);
    for (const [index, line] of seen.entries()) expect(line).toBe(clients[0]?.seen[index]);
  }
});

test("nothing is translated without clients, and translation stops some time after the last one leaves", async () => {
  const world = await startWorld({ script: busy });
  const seenSettings: SessionSettings[] = [];
  const hub = aHub(world, {
    lingerMs: 1000,
    createProjection: (settings) => {
      seenSettings.push(settings);
      return new SessionProjection(settings);
    },
  });
  await world.send({ id: "m1" });
  await world.reaches("m1", "responded");
  expect(seenSettings).toEqual([]);
  const client = await aClient(hub);
  await client.leave();
  await world.clock.advance(2000);
  await world.send({ id: "m2" });
  await world.reaches("m2", "responded");
  expect(seenSettings).toEqual([]);
  const again = await aClient(hub);
  await world.send({ id: "m3" });
  await world.reaches("m3", "responded");
  await settled();
  expect(types(again.seen)).toContain("session.idle");
});

test("a slow client falls back to the store, and misses only live-only events", async () => {
  const world = await startWorld({ script: busy });
  const hub = aHub(world, { queueLimits: { items: 3 } });
  const stop = new AbortController();
  const { frames } = await hub.follow({ signal: stop.signal });
  const quick = await aClient(aHub(world));
  const first = frames.next();
  for (const id of ["m1", "m2", "m3"]) {
    await world.send({ id });
    await world.reaches(id, "responded");
  }
  await settled();
  const reference = await aClient(aHub(world), { after: quick.from });
  const seen = new Map<string, number>();
  const count = (line: SseFrame) => seen.set(line.id, (seen.get(line.id) ?? 0) + 1);
  count((await first).value as SseFrame);
  const last = reference.seen.at(-1)?.id ?? "";
  while (!seen.has(last)) count((await frames.next()).value as SseFrame);
  stop.abort();
  for (const { id } of reference.seen) expect([id, seen.get(id)]).toEqual([id, 1]);
});

test("a client that disconnects after a lane was created during its catch-up gets nothing twice", async () => {
  const world = await startWorld({ script: busy });
  const { hub, client } = await published(world);
  const stop = new AbortController();
  const { frames } = await hub.follow({ after: client.from, signal: stop.signal });
  const seen = [(await frames.next()).value as SseFrame];
  await world.waybill.store.putLane(aLane({ id: "new", directory: "/tmp/new", createdAt: 5 }));
  await settled();
  await world.send({ id: "m2" });
  await world.reaches("m2", "responded");
  await settled();
  while (seen.at(-1)?.type !== "session.created") seen.push((await frames.next()).value as SseFrame);
  stop.abort();
  const again = await aClient(hub, { after: seen.at(-1)?.at ?? "" });
  const reference = await aClient(hub, { after: client.from });
  const all = [...seen, ...again.seen];
  expect([seen, again.seen].map((part) => types(part).filter((type) => type === "session.idle").length)).toEqual([
    1, 1,
  ]);
  expect(all.map(({ id }) => id)).toEqual(reference.seen.map(({ id }) => id));
});

test("a lane created at the moment of an event does not move any cursor back before that event", async () => {
  for (let late = 0; late < 12; late += 1) {
    const world = await startWorld({ script: busy });
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const sessionInfo = async (lane: Lane, updatedAt: number) => {
      await gate;
      for (let turns = lane.id === "new" ? late : 0; turns > 0; turns -= 1) await null;
      return sessionView(lane, { projectID: "global", updatedAt, version: "0" });
    };
    const client = await aClient(aHub(world, { sessionInfo }));
    await world.waybill.store.putLane(aLane({ id: "new", directory: "/tmp/new", createdAt: 5 }));
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    await settled();
    open();
    await settled();
    const { items } = await world.waybill.store.readLog({ limit: 500 });
    const places = client.seen.map(({ at }) => items.findIndex(({ cursor }) => cursor === at.log));
    expect(places.length).toBeGreaterThan(10);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  }
});

test("a client of one directory gets no other directory's events, and a global client gets the directory of each", async () => {
  const lanes = [
    { id: "one", directory: "/tmp/one" },
    { id: "two", directory: "/tmp/two" },
  ];
  const world = await startWorld({ script: busy, lanes });
  const hub = aHub(world);
  const [one, all] = [await aClient(hub, { directory: "/tmp/one" }), await aClient(hub)];
  for (const { id } of lanes) {
    await world.send({ id: `to-${id}`, to: { lane: id } });
    await world.clock.until(async () => (await world.delivery(`to-${id}`, id)).status === "responded");
  }
  await settled();
  expect(new Set(one.seen.map(({ directory }) => directory))).toEqual(new Set(["/tmp/one"]));
  expect(all.seen.filter(({ directory }) => directory === "/tmp/one").map(({ id }) => id)).toEqual(
    one.seen.map(({ id }) => id),
  );
  const two = all.seen.find(({ directory }) => directory === "/tmp/two");
  expect(two?.wrapped).toMatch(/\ndata: \{"directory":"\/tmp\/two","payload":\{"id":"evt_/);
  const replay = await aClient(hub, { after: all.from, directory: "/tmp/one" });
  const rest = withoutLiveTexts(replay.seen, one.seen);
  expect(durable(one.seen, rest).length).toBe(rest.length);
});

test("creating, changing and removing lanes publishes session created, updated and deleted, live and in a replay", async () => {
  const world = await startWorld({ script: busy });
  const hub = aHub(world);
  const client = await aClient(hub);
  const { store } = world.waybill;
  const service = serviceOf(world.waybill);
  await store.putLane(aLane({ id: "new", directory: "/tmp/new", createdAt: 5 }));
  await settled();
  await store.putLane(aLane({ id: "new", directory: "/tmp/new", createdAt: 5, displayName: "New" }));
  await settled();
  await service.removeLane("new", true);
  await settled();
  expect(types(client.seen)).toEqual(["session.created", "session.updated", "session.deleted"]);
  expect(client.seen.map(propertiesOf)).toMatchObject([
    { sessionID: "ses_new", info: { title: "new", directory: "/tmp/new" } },
    { sessionID: "ses_new", info: { title: "New" } },
    { sessionID: "ses_new", info: { id: "ses_new" } },
  ]);
  expect(client.seen[2]?.directory).toBe("/tmp/new");
  const later = await aClient(hub, { after: client.seen[1]?.at ?? "" });
  expect(types(later.seen)).toEqual(["session.deleted"]);
});

test("when missed events are no longer kept, clients are told once to reload everything", async () => {
  const world = await startWorld({ script: busy });
  const hub = aHub(world);
  const client = await aClient(hub);
  for (const id of ["m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"]) {
    await world.send({ id });
    await world.reaches(id, "responded");
  }
  const far = Number.MAX_SAFE_INTEGER;
  await world.waybill.store.prune({ responded: 0, failed: 0, log: 0, events: far, stats: 0 });
  await settled();
  const again = await aClient(hub, { after: client.from });
  const disposed = again.seen.filter(({ type }) => type === "server.instance.disposed");
  expect(disposed.map(propertiesOf)).toEqual([{ directory: "/tmp" }]);
  expect(types(again.seen)).toContain("session.idle");
  const resumed = await aClient(hub, { after: disposed[0]?.at ?? "" });
  expect(types(resumed.seen)).not.toContain("server.instance.disposed");
});

test("an event that cannot be translated is reported, and the others are still published", async () => {
  const world = await startWorld({ script: busy });
  const errors: unknown[] = [];
  const createProjection = (settings: SessionSettings) => {
    const projection = new SessionProjection(settings, { following: true });
    const take = projection.take.bind(projection);
    projection.take = (event) => {
      if (event.type === "usage" || event.type === "turn.started") throw new Error("odd");
      return take(event);
    };
    return projection;
  };
  const { client } = await published(world, aHub(world, { createProjection, report: (error) => errors.push(error) }));
  expect(types(client.seen)).toContain("session.idle");
  expect(errors[0]).toEqual(new Error("odd"));
});

test("when following fails, clients and waits end, and the next client starts a new run", async () => {
  const world = await startWorld({ script: busy });
  const service = serviceOf(world.waybill);
  let broken = true;
  const follow: typeof service.follow = (options) => {
    if (!broken) return service.follow(options);
    return (async function* () {
      for await (const item of service.follow(options)) {
        yield item;
        throw new Error("broken");
      }
    })();
  };
  const errors: unknown[] = [];
  const hub = aHub(world, { service: { ...service, follow }, report: (error) => errors.push(error) });
  const { signal } = new AbortController();
  const { frames } = await hub.follow({ signal });
  const end = hub.turnEnd({ lane: "lane", messageId: "m1", signal });
  const failed = expect(end).rejects.toEqual(new Error("broken"));
  await settled();
  await world.send({ id: "m1" });
  while (!(await frames.next()).done);
  await failed;
  expect(errors).toEqual([new Error("broken")]);
  broken = false;
  const again = await aClient(hub);
  await world.reaches("m1", "responded");
  await settled();
  expect(types(again.seen)).toContain("session.idle");
});

test("a client with an id of an earlier version is told to reload everything, and continues from there", async () => {
  const world = await startWorld({ script: busy });
  const hub = aHub(world);
  await world.send({ id: "m1" });
  await world.reaches("m1", "responded");
  await settled();
  const [events, lanes] = ["e1.3", "v1.2"].map((cursor) => Buffer.from(cursor).toString("base64url"));
  for (const seen of [0, 2]) {
    const client = await aClient(hub, { after: `${events}.${seen}.${lanes}` });
    expect(types(client.seen.slice(0, 1))).toEqual(["server.instance.disposed"]);
    expect(client.seen.slice(0, 1).map(propertiesOf)).toEqual([{ directory: "/tmp" }]);
    const kept = types(client.seen);
    expect(kept.filter((type) => type === "server.instance.disposed")).toHaveLength(1);
    const resumed = await aClient(hub, { after: client.seen[0]?.at ?? "" });
    expect(types(resumed.seen)).toEqual(kept.slice(1));
    const id = `after-${seen}`;
    await world.send({ id });
    await world.reaches(id, "responded");
    await settled();
    expect(types(client.seen.slice(kept.length))).toContain("session.idle");
    for (const one of [client, resumed]) await one.leave();
  }
});

test("an invalid id is refused", async () => {
  const hub = aHub(await startWorld());
  const { signal } = new AbortController();
  await expect(hub.follow({ after: "what", signal })).rejects.toMatchObject({ code: "cursor_invalid" });
  await expect(hub.follow({ after: "a.0.b", signal })).rejects.toMatchObject({ code: "cursor_invalid" });
});

test("text can be read while it is still being written", async () => {
  const script = { always: [{ steps: [{ say: "Half of it" }, { wait: 5000 }, { say: "and the rest." }] }] };
  const world = await startWorld({ script });
  const hub = aHub(world);
  await hub.liveMessages("ses_lane");
  await world.send({ id: "m1" });
  await world.clock.advance(1000);
  const rows = await hub.liveMessages("ses_lane");
  expect(JSON.stringify(rows)).toContain("Half of it");
  await world.reaches("m1", "responded");
});

const step = fc.oneof(
  fc.constantFrom({ say: "Something" }, { think: "Hm" }, { say: "More" }),
  fc.constantFrom({ tool: "read", output: "x" }, { tool: "bash", fails: true }),
);
const turn = fc.array(step, { minLength: 1, maxLength: 5 }).map((steps) => ({ steps: [...steps, { say: "End." }] }));

test("whatever agents do and wherever a client is disconnected, it misses nothing", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { minLength: 1, maxLength: 5 }),
      fc.array(fc.nat(12), { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      // Whether all messages are sent together, so that the last ones wait through several turns.
      fc.boolean(),
      async (turns, breaks, restart, together) => {
        const world = new World({ script: { turns, always: [{ steps: [{ say: "Well." }] }] } });
        try {
          await world.start();
          const hub = aHub(world);
          const whole = await aClient(hub);
          const cuts = [...breaks];
          const cut = await aClient(hub, { after: whole.from, most: cuts.shift() ?? 1 });
          const seen = [cut];
          if (together) for (const [index] of turns.entries()) await world.send({ id: `m${index}` });
          for (const [index] of turns.entries()) {
            if (!together) await world.send({ id: `m${index}` });
            await world.reaches(`m${index}`, "responded");
            const at = seen.flatMap((one) => one.seen).at(-1)?.at ?? whole.from;
            await seen.at(-1)?.leave();
            seen.push(await aClient(hub, { after: at, most: cuts.shift() ?? 5 }));
          }
          if (restart) {
            await world.stop();
            await world.start();
          }
          const now = restart ? aHub(world) : hub;
          const reference = await aClient(now, { after: whole.from });
          const at = seen.flatMap((one) => one.seen).at(-1)?.at ?? whole.from;
          seen.push(await aClient(now, { after: at }));
          const all = seen.flatMap((one) => one.seen);
          for (const one of [all, whole.seen]) {
            const rest = withoutLiveTexts(reference.seen, one);
            expect(durable(one, rest).map(withoutId)).toEqual(rest.map((line) => withoutId(line.plain)));
          }
          expect(world.errors).toEqual([]);
        } finally {
          await world.dispose();
        }
      },
    ),
    { numRuns: 6 },
  );
  // Runs several complete worlds, one after the other.
});

/** The cursor may name a later ledger item that this client does not see. */
function withoutId(frame: string): string {
  return frame.slice(frame.indexOf("\n"));
}
