/** From a scripted agent's actions to the kept and published events, on a real store. */
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import type { LogItem } from "../../src/core/log/log-item.ts";
import type { Signal, SignalBody } from "../../src/core/turn/signal.ts";
import type { UniversalEvent } from "../../src/core/turn/universal-event.ts";
import { universalEventTypes } from "../../src/core/turn/universal-event.ts";
import { LaneLog } from "../../src/events/lane-log.ts";
import { Recorder } from "../../src/events/recorder.ts";
import { AppError } from "../../src/platform/app-error.ts";
import type { Runtime, SignalListener } from "../../src/runtimes/port.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { settled } from "../support/core/manual-clock.ts";
import type { WorldOptions } from "../support/daemon/waybill.ts";
import { aLane, startWorld, World } from "../support/daemon/waybill.ts";
import { universalEventSchema } from "../support/rules/event-schema.ts";

const minute = 60_000;
const working = { steps: [{ say: "Looking." }, { tool: "bash", output: "3 files" }, { say: "Done: 3 files." }] };

async function everyEvent(store: Store, lane?: string): Promise<UniversalEvent[]> {
  const { items } = await store.readLog({ lane, types: universalEventTypes, limit: 1000 });
  return items.flatMap((item) => (item.type === "event" ? [item.event] : []));
}

async function kept(store: Store, lane = "lane"): Promise<UniversalEvent[]> {
  const found = await everyEvent(store, lane);
  expect(found.map(({ seq }) => seq)).toEqual(found.map((_, index) => index + 1));
  for (const event of found) expect(universalEventSchema.safeParse(event).error).toBeUndefined();
  return found;
}

const types = (events: readonly UniversalEvent[]) => events.map(({ type }) => type);
const ofType = (events: readonly UniversalEvent[], type: string) => events.filter((event) => event.type === type);

type EventItem = Extract<LogItem, { type: "event" }>;

/** A recorder on its own store, fed by hand. */
async function aRecorder(change: (store: Store) => Store = (store) => store, maxCharacters?: number, keep = 1000) {
  const world = new World();
  onTestFinished(() => world.dispose());
  const errors: unknown[] = [];
  const commits = { count: 0 };
  const store = openSqliteStore({
    path: world.storePath,
    failPoint: (point) => {
      if (point === "store.committed") commits.count += 1;
    },
    onListenerError: (error) => errors.push(error),
  });
  onTestFinished(() => store.close());
  await store.putLane(aLane());
  const listeners = new Set<SignalListener>();
  const retold: string[] = [];
  const runtime = {
    kind: "stub",
    onSignal: (listener: SignalListener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    resync: async (_lane: unknown, session: string) => void retold.push(session),
  } as unknown as Runtime;
  const recorder = new Recorder({
    store: change(store),
    clock: world.clock,
    keep,
    onError: ({ error }) => errors.push(error),
    ...(maxCharacters === undefined ? {} : { maxCharacters }),
  });
  recorder.listen([runtime]);
  await recorder.catchUp(new Map([["stub", runtime]]));
  const told: EventItem[] = [];
  store.onLog((items) => told.push(...items.filter((item) => item.type === "event")));
  const say = (said: SignalBody, lane = "lane") => {
    const signal: Signal = { at: world.clock.now(), session: "ses-1", ...said };
    for (const listener of listeners) listener(lane, signal);
  };
  return { store, path: world.storePath, recorder, runtime, told, say, errors, commits, retold, clock: world.clock };
}

const changed = { type: "file", path: "notes.txt", change: "modified", diff: null } as const;
/** The first content of a message, with which it begins. */
const message = { type: "file", message: "a1", file: changed } as const;
const delta = (text: string): SignalBody => ({ type: "delta", message: "a1", part: "p1", kind: "text", text });
const failure = (text: string): SignalBody => ({ type: "error", id: text, message: text, item: null });

test("an agent's turn is kept from its start to its end, in order", async () => {
  const world = await startWorld({ script: { always: [working] } });
  await world.send({ id: "m1" });
  await world.reaches("m1", "responded");
  await world.clock.advance(1000);
  const events = await kept(world.waybill.store);
  expect(types(events).filter((type) => type.startsWith("turn."))).toEqual(["turn.started", "turn.ended"]);
  expect(events.at(-2)).toMatchObject({ type: "turn.ended", turn: 1, data: { reason: "completed", queued: 0 } });
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
});

test.each(["while it is down", "after it is back"])(
  "Waybill goes down mid-turn: a turn that ends %s ends once, and numbers have no gap",
  async (when) => {
    const options: WorldOptions = { script: { always: [{ steps: [{ wait: minute }, ...working.steps] }] } };
    const world = await startWorld(options);
    await world.send({ id: "m1" });
    await world.clock.advance(1000);
    expect(ofType(await kept(world.waybill.store), "turn.started")).toHaveLength(1);
    await world.stop();
    if (when === "while it is down") await world.clock.advance(5 * minute);
    await world.start();
    await world.reaches("m1", "responded");
    await world.clock.advance(1000);
    await world.send({ id: "m2" });
    await world.reaches("m2", "responded");
    await world.clock.advance(1000);
    const turns = types(await kept(world.waybill.store)).filter((type) => type.startsWith("turn."));
    expect(turns).toEqual(["turn.started", "turn.ended", "turn.started", "turn.ended"]);
  },
);

test("a turn whose session no longer exists was interrupted", async () => {
  const world = await startWorld();
  const { store } = world.waybill;
  const started = { type: "turn.started", data: { prompt: null } } as const;
  const envelope = { id: "e1", seq: 1, time: 0, lane: "lane", session: "gone", turn: 1 };
  const event: UniversalEvent = { ...envelope, source: "agent", synthetic: false, ...started };
  await store.appendEvents([{ kept: true, event, text: JSON.stringify(event) }], 100);
  await world.stop();
  await world.start();
  await settled();
  expect((await kept(world.waybill.store)).at(-1)).toMatchObject({
    type: "turn.ended",
    synthetic: true,
    data: { reason: "interrupted" },
  });
});

test("events that arrive during a commit share the next one, and deltas cost none", async () => {
  const { say, told, store, commits } = await aRecorder();
  const before = commits.count;
  // It begins with the first delta.
  for (let count = 0; count < 300; count++) say(delta("x"));
  await settled();
  expect(commits.count - before).toBe(1);
  for (let count = 0; count < 300; count++) say(delta("y"));
  await settled();
  expect(commits.count - before).toBe(1);
  for (let count = 0; count < 300; count++) say(delta("z"));
  say({ type: "message_done", message: "a1", error: null, usage: null });
  await settled();
  expect(commits.count - before).toBe(2);
  expect(types(told.map(({ event }) => event))).toEqual([
    ...["turn.started", "item.started", ...Array(900).fill("item.delta"), "item.completed"],
  ]);
  expect(told.slice(2, -1).every(({ cursor, event }) => cursor === null && event.seq === 2)).toBe(true);
  expect(await kept(store)).toHaveLength(3);
});

test("nothing is published before it is durable, and no delta before the event it follows", async () => {
  const seen: number[] = [];
  const { say, store, path } = await aRecorder();
  // Data that another connection reads is durable.
  const other = new Database(path, { readonly: true });
  onTestFinished(() => void other.close());
  const durable = other.prepare<[], number>("SELECT coalesce(max(seq), 0) FROM log WHERE lane_id = 'lane'").pluck();
  const wasDurable: boolean[] = [];
  store.onLog((items) => {
    for (const item of items) {
      if (item.type !== "event") continue;
      seen.push(item.event.seq);
      wasDurable.push((durable.get() ?? 0) >= item.event.seq);
    }
  });
  say(message);
  say(delta("x"));
  await settled();
  say(delta("y"));
  await settled();
  expect(wasDurable).not.toContain(false);
  expect(seen).toEqual([1, 2, 2, 2]);
});

test("a listener that throws affects no other", async () => {
  const { say, store, errors } = await aRecorder();
  const seen: string[] = [];
  store.onLog(() => {
    throw new Error("not mine");
  });
  store.onLog((items) => seen.push(...items.map((item) => (item.type === "event" ? item.event.type : item.type))));
  say(failure("one"));
  await settled();
  say(failure("two"));
  await settled();
  expect(seen).toEqual(["error", "error"]);
  expect(errors.map(String)).toEqual(["Error: not mine", "Error: not mine"]);
});

test("closing writes signals received just before", async () => {
  const { say, recorder, store } = await aRecorder();
  say(message);
  await recorder.close();
  expect(types(await kept(store))).toEqual(["turn.started", "item.started"]);
  say(failure("later"));
  await settled();
  expect(await kept(store)).toHaveLength(2);
});

test.each([1500, 100_000])("an event nested %i deep is cut, and blocks no other", async (depth) => {
  const { say, store, errors } = await aRecorder();
  const input: unknown = JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
  say({ type: "tool", message: "a1", call: "c1", name: "bash", state: { status: "running", input } });
  say(failure("other"), "other");
  await settled();
  expect(errors).toEqual([]);
  expect(types(await kept(store, "other"))).toEqual(["error"]);
  expect(JSON.stringify((await kept(store)).at(-1))).toContain("[cut]");
});

test("a turn whose start is no longer kept ends once after a restart, and is not started again", async () => {
  const first = await aRecorder(undefined, undefined, 10);
  first.say(message);
  for (let count = 0; count < 30; count++) first.say(failure(`number ${count}`));
  await first.recorder.close();
  const again = new Recorder({ store: first.store, clock: first.clock, keep: 10, onError: () => {} });
  again.listen([first.runtime]);
  first.say({ type: "delta", message: "a2", part: "p2", kind: "text", text: "on" });
  first.say({ type: "rest" });
  await again.close();
  const turns = (await everyEvent(first.store)).filter(({ type }) => type.startsWith("turn."));
  expect(turns.map(({ type, turn }) => [type, turn])).toEqual([["turn.ended", 1]]);
});

test("the open items of a lane are known as soon as its log is read, and it is read once", async () => {
  const { reads, change } = countingReads();
  const { say, recorder } = await aRecorder(change);
  say(delta("Hel"));
  say(delta("lo"));
  expect(await recorder.turn("lane")).toMatchObject({
    seq: 2,
    turn: 1,
    items: [{ id: "a1", parts: [{ text: "Hello" }] }],
  });
  say(delta(" you"));
  expect(await recorder.turn("lane")).toMatchObject({ seq: 2, items: [{ parts: [{ text: "Hello you" }] }] });
  expect(reads).toEqual(["lane"]);
});

test("two lanes are numbered independently", async () => {
  const { say, store } = await aRecorder();
  for (const lane of ["lane", "other", "lane", "other"]) say(failure(lane), lane);
  await settled();
  expect([(await kept(store, "lane")).length, (await kept(store, "other")).length]).toEqual([2, 2]);
});

/** A store whose disk is full until the test makes room. */
function fullDisk() {
  const disk = { full: false };
  const refuse = () => Promise.reject(new AppError({ code: "store_unwritable", message: "The disk is full." }));
  const change = (real: Store): Store => ({
    ...real,
    appendEvents: (events, keep) => (disk.full ? refuse() : real.appendEvents(events, keep)),
    probe: (at) => (disk.full ? refuse() : real.probe(at)),
  });
  return { disk, change };
}

test("while the disk is full events wait, deltas are dropped, and everything is written when there is room", async () => {
  const { disk, change } = fullDisk();
  const { say, store, told, errors, clock } = await aRecorder(change);
  say(message);
  await settled();
  disk.full = true;
  say(failure("one"));
  say(delta("lost"));
  await clock.advance(5000);
  say(failure("two"));
  say(delta("lost"));
  expect(errors.length).toBeGreaterThan(0);
  expect(told).toHaveLength(2);
  disk.full = false;
  await clock.advance(minute);
  expect(types(told.map(({ event }) => event))).toEqual(["turn.started", "item.started", "error", "error"]);
  expect(await kept(store)).toHaveLength(4);
  say(delta("live again"));
  await settled();
  expect(told.at(-1)?.event.type).toBe("item.delta");
});

test("events beyond the limit are dropped as a whole and reported, and the turn is resynced", async () => {
  const { disk, change } = fullDisk();
  const { say, store, errors, retold, clock } = await aRecorder(change, 3000);
  say(message);
  await settled();
  disk.full = true;
  for (let count = 0; count < 50; count++) say(failure(`number ${count}`));
  await clock.advance(5000);
  expect(errors.map((error) => (error as AppError).code)).toContain("events_lost");
  disk.full = false;
  await clock.advance(2 * minute);
  expect(retold).toEqual(["ses-1"]);
  say({ type: "rest" });
  await settled();
  const events = await kept(store);
  expect(
    events.filter((event) => event.type === "item.completed" && event.data.item.name === "events_lost"),
  ).toHaveLength(1);
  expect(types(events).filter((type) => type.startsWith("turn."))).toEqual(["turn.started", "turn.ended"]);
});

test("however much arrives in one batch, nothing is dropped while the store can be written", async () => {
  const { say, store, errors } = await aRecorder(undefined, 3000);
  for (let count = 0; count < 50; count++) say(failure(`number ${count}`));
  await settled();
  expect(errors).toEqual([]);
  expect(types(await kept(store))).toHaveLength(50);
});

test("events that are not written on close are reported", async () => {
  const { disk, change } = fullDisk();
  const { say, recorder, errors } = await aRecorder(change);
  disk.full = true;
  say(failure("one"));
  await recorder.close();
  expect((errors.at(-1) as AppError).code).toBe("events_lost");
});

/** A store that refuses the events of one lane. */
function refusing(lane: string) {
  const state = { refuses: true };
  const change = (real: Store): Store => ({
    ...real,
    appendEvents: async (events, keep) => {
      if (state.refuses && events.some(({ event }) => event.lane === lane)) throw new Error("not this one");
      return real.appendEvents(events, keep);
    },
  });
  return { state, change };
}

test("events of one lane that the store refuses block no other lane, and that lane is restored", async () => {
  const { state, change } = refusing("lane");
  const { say, store, told, errors, retold, clock } = await aRecorder(change);
  for (const lane of ["other", "lane", "third"]) say(failure(lane), lane);
  await settled();
  expect(told.map(({ event }) => event.lane)).toEqual(["other", "third"]);
  expect(errors.map((error) => (error as AppError).code ?? String(error))).toEqual([
    "Error: not this one",
    "events_lost",
  ]);
  say(failure("more"), "other");
  await settled();
  expect(await kept(store, "other")).toHaveLength(2);
  state.refuses = false;
  await clock.advance(minute);
  expect(retold).toEqual([]);
  say(failure("again"));
  await settled();
  const events = await kept(store);
  expect(events.map(({ data }) => ("item" in data && data.item instanceof Object ? data.item.name : data))).toEqual([
    "events_lost",
    "events_lost",
    { message: "again", item: null },
  ]);
});

test("a refused lane with more events than fit into a commit blocks no other lane either", async () => {
  const { change } = refusing("lane");
  const { say, store, clock } = await aRecorder(change);
  for (let count = 0; count < 600; count++) say(failure(`${count}`));
  say(failure("mine"), "other");
  await clock.advance(minute);
  expect(await kept(store, "other")).toHaveLength(1);
});

test("events that the store refuses for every lane wait, whatever the error", async () => {
  const { state, change } = refusing("lane");
  const { say, store, errors, clock } = await aRecorder(change);
  say(failure("one"));
  await settled();
  expect(errors.map(String)).toEqual(["Error: not this one"]);
  state.refuses = false;
  await clock.advance(5000);
  expect(types(await kept(store))).toEqual(["error"]);
});

test("another lane's deltas, which are not written, do not show that the store accepts anything", async () => {
  const { state, change } = refusing("lane");
  const { say, store, clock } = await aRecorder(change);
  state.refuses = false;
  say(failure("one"));
  say(delta("x"), "other");
  await settled();
  state.refuses = true;
  say(failure("two"));
  say(delta("y"), "other");
  await settled();
  state.refuses = false;
  await clock.advance(minute);
  expect(types(await kept(store))).toEqual(["error", "error"]);
});

/** How often each lane was restored. */
function countingReads() {
  const reads: string[] = [];
  const change = (real: Store): Store => ({
    ...real,
    lastEventSeq: (lane) => {
      reads.push(lane);
      return real.lastEventSeq(lane);
    },
  });
  return { reads, change };
}

test("a removed lane is evicted, and its numbers continue when something arrives for it again", async () => {
  const { reads, change } = countingReads();
  const { say, recorder, store, errors } = await aRecorder(change);
  say(failure("one"));
  recorder.laneRemoved("lane");
  await settled();
  expect(reads).toEqual(["lane"]);
  say(failure("two"));
  say(failure("three"));
  await settled();
  say(failure("four"));
  await settled();
  expect([reads, errors]).toEqual([["lane", "lane"], []]);
  expect(await kept(store)).toHaveLength(4);
});

test("a lane removed before its agent began to work still records how its turn ended", async () => {
  const { reads, change } = countingReads();
  const { say, recorder, store } = await aRecorder(change);
  say({ type: "busy" });
  say({ type: "prompt", message: "u1", parts: [] });
  await settled();
  recorder.laneRemoved("lane");
  await settled();
  say({ type: "rest" });
  await settled();
  expect(types(await kept(store)).at(-1)).toBe("turn.ended");
  say(failure("later"));
  await settled();
  expect(reads).toEqual(["lane", "lane"]);
});

test("of many idle lanes the oldest are evicted, but never one in a turn", async () => {
  const { reads, change } = countingReads();
  const { say, store } = await aRecorder(change);
  say(message, "works");
  for (let count = 0; count < 600; count++) say(failure("one"), `lane-${count}`);
  await settled();
  reads.length = 0;
  say({ type: "rest" }, "works");
  say(failure("two"), "lane-599");
  await settled();
  expect(reads).toEqual([]);
  say(failure("two"), "lane-0");
  await settled();
  expect(reads).toEqual(["lane-0"]);
  expect(await kept(store, "lane-0")).toHaveLength(2);
});

const notes = (events: readonly UniversalEvent[]) =>
  events.flatMap((event) => {
    if (event.source !== "daemon" || event.synthetic || !("item" in event.data)) return [];
    const { item } = event.data;
    return typeof item === "object" && item !== null ? [`${event.type} ${item.id} ${item.status}`] : [];
  });

test("a message is noted in its lane when it is admitted, when a prompt is sent for it, and when it ends", async () => {
  const world = await startWorld({ script: { always: [working] } });
  await world.send({ id: "m1", text: "count the files" });
  await world.send({ id: "m1", text: "count the files" });
  await world.reaches("m1", "responded");
  await world.clock.advance(1000);
  const events = await kept(world.waybill.store);
  expect(notes(events)).toEqual([
    "item.started delivery:m1 in_progress",
    "item.started attempt:m1:1 in_progress",
    "item.completed attempt:m1:1 completed",
    "item.completed delivery:m1 completed",
  ]);
  const [admitted] = events;
  expect(admitted).toMatchObject({
    seq: 1,
    turn: null,
    data: { item: { parts: [{ value: { text: "count the files" } }] } },
  });
  const attempt = events.find(({ data }) => "item" in data && JSON.stringify(data.item).includes("attempt:m1:1"));
  const started = events.find(({ type }) => type === "turn.started");
  expect(events.indexOf(attempt as UniversalEvent)).toBeLessThan(events.indexOf(started as UniversalEvent));
});

test("a message whose end was not noted before a crash is noted as ended when its lane is restored", async () => {
  const world = await startWorld({ script: { always: [working] } });
  await world.send({ id: "m1" });
  await world.reaches("m1", "responded");
  await world.clock.advance(1000);
  await world.stop();
  const store = openSqliteStore({ path: world.storePath });
  const seq = await store.lastEventSeq("lane");
  const [first] = await kept(store);
  const begun = structuredClone(first) as UniversalEvent;
  const lost = JSON.parse(JSON.stringify(begun).replaceAll("m1", "m0")) as UniversalEvent;
  const event = { ...lost, id: "lost", seq: seq + 1 };
  await store.appendEvents([{ kept: true, event, text: JSON.stringify(event) }], 1000);
  await store.close();
  await world.start();
  await world.send({ id: "m2" });
  await world.reaches("m2", "responded");
  await world.clock.advance(1000);
  const noted = notes(await kept(world.waybill.store));
  expect(noted.filter((line) => line.includes("delivery:m0"))).toEqual([
    "item.started delivery:m0 in_progress",
    "item.completed delivery:m0 completed",
  ]);
  expect(noted.filter((line) => line.includes("completed delivery:m1"))).toHaveLength(1);
});

const retriedNotes = [
  "item.started delivery:m1 in_progress",
  "item.completed delivery:m1 failed",
  "item.started delivery:m1#2 in_progress",
  "item.completed delivery:m1#2 completed",
];

test.each(["lives on", "is started again before the retry", "is started again after it"])(
  "a failed message retried by a person is noted as begun and ended a second time; the daemon %s",
  async (how) => {
    const world = await startWorld({
      script: { turns: [{}, {}, {}, { steps: [{ wait: minute }, { say: "Done, 3." }] }] },
    });
    const { id } = await world.send({ id: "m1", text: "count the files" });
    await world.reaches("m1", "failed_terminal");
    if (how === "is started again before the retry") {
      await world.stop();
      await world.start();
    }
    await world.waybill.interventions.retry(id, "ada");
    await settled();
    const again = (await kept(world.waybill.store)).find(({ data }) => JSON.stringify(data).includes("delivery:m1#2"));
    expect(again).toMatchObject({ data: { item: { parts: [{ value: { text: "count the files", round: 2 } }] } } });
    if (how === "is started again after it") {
      await world.stop();
      await world.start();
    }
    await world.reaches("m1", "responded");
    await world.clock.advance(1000);
    const events = await kept(world.waybill.store);
    expect(notes(events).filter((line) => line.includes("delivery:"))).toEqual(retriedNotes);
    const parents = events.flatMap(({ type, data }) =>
      type === "item.completed" && data.item.name === "attempt" ? [data.item.parent] : [],
    );
    expect(parents).toEqual([...Array(3).fill("delivery:m1"), "delivery:m1#2"]);
  },
);

test("the end of a round that was not noted is noted as failed when the message was retried since", async () => {
  const world = await startWorld({ script: { turns: [{}, {}, {}], always: [{ steps: [{ say: "Done, 3." }] }] } });
  const { id } = await world.send({ id: "m1" });
  await world.reaches("m1", "failed_terminal");
  await world.clock.advance(1000);
  await world.waybill.interventions.retry(id, "ada");
  await world.reaches("m1", "responded");
  await settled();
  const events = await kept(world.waybill.store);
  // A store in which only the two starts are kept, next to the same ledger.
  const begun = events.filter(({ type, data }) => type === "item.started" && data.item.name === "delivery").reverse();
  const { store: real } = world.waybill;
  const torn: Store = { ...real, eventsBefore: async (_lane, seq) => (seq === null ? begun : []) };
  const log = await LaneLog.restore(torn, "lane", () => "new");
  const missed = await log.unrecordedEnds(torn);
  expect(missed.map(({ type, data }) => `${type} ${JSON.stringify(data)}`)).toEqual([
    expect.stringMatching(/^item.completed .*"delivery:m1".*"failed_terminal"/),
    expect.stringMatching(/^item.completed .*"delivery:m1#2".*"responded"/),
  ]);
});

test("the end of a retried message is noted for its round, even if its record was rebuilt since", async () => {
  const world = await startWorld({ script: { always: [{ steps: [{ say: "Done, 3." }] }] } });
  await world.send({ id: "m1" });
  const rebuilt = await world.reaches("m1", "responded");
  await settled();
  const { store: real } = world.waybill;
  const [first] = await kept(real);
  const begun = JSON.parse(JSON.stringify(first).replace("delivery:m1", "delivery:m1#2")) as UniversalEvent;
  const torn: Store = { ...real, eventsBefore: async (_lane, seq) => (seq === null ? [begun] : []) };
  const missed = await (await LaneLog.restore(torn, "lane", () => "new")).unrecordedEnds(torn);
  expect(rebuilt.rounds).toBe(1);
  expect(missed).toMatchObject([{ data: { item: { id: "delivery:m1#2", status: "completed" } } }]);
});
