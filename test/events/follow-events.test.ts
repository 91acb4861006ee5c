/** Following events: from the store, live, and from one to the other without a gap or a repetition. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { LoggedEvent } from "../../src/core/log/event-page.ts";
import type { PublishedEvent } from "../../src/events/event-writer.ts";
import type { FollowedEvent } from "../../src/events/follow-events.ts";
import { followEvents } from "../../src/events/follow-events.ts";
import type { Store } from "../../src/store/port.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { anEvent, logged, someEvents } from "../support/events.ts";
import { World } from "../support/waybill.ts";

let world: World;
let store: Store;
let source: Source;
beforeEach(async () => {
  world = new World();
  store = openSqliteStore({ path: world.storePath });
  source = new Source(await store.eventsEnd());
});
afterEach(async () => {
  await store.close();
  await world.dispose();
});

/** Tells as the recorder does: after the commit, and deltas without one. */
class Source {
  newest: string;
  readonly listeners = new Set<(told: readonly PublishedEvent[]) => void>();
  constructor(newest: string) {
    this.newest = newest;
  }
  onEvents = (listener: (told: readonly PublishedEvent[]) => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
  tell(told: readonly PublishedEvent[]): void {
    this.newest = told.findLast(({ cursor }) => cursor !== null)?.cursor ?? this.newest;
    for (const listener of this.listeners) listener(told);
  }
}

async function commit(events: readonly LoggedEvent[], keep = 1000): Promise<PublishedEvent[]> {
  const cursors = await store.appendEvents(events, keep);
  return events.map((one, index) => ({ ...one, cursor: cursors[index] ?? null }));
}

const happen = async (...events: LoggedEvent[]) => source.tell(await commit(events));

function delta(seq: number, text: string, lane = "lane"): PublishedEvent {
  const said = { type: "item.delta", data: { item: "a1", part: "p1", kind: "text", text } } as const;
  return { cursor: null, ...logged(anEvent({ seq, lane }, said)) };
}

function reader(options: { after?: string; lane?: string } = {}) {
  const stop = new AbortController();
  const items = followEvents({ store, recorder: source }, { ...options, signal: stop.signal });
  const words = (item: FollowedEvent) => {
    if (item.type === "reset") return "reset";
    return item.event.type === "item.delta" ? `+${item.event.data.text}` : item.event.id;
  };
  return {
    stop: () => stop.abort(),
    async next(count: number): Promise<string[]> {
      const found: string[] = [];
      while (found.length < count) {
        const { value, done } = await items.next();
        if (done) return [...found, "end"];
        found.push(words(value));
      }
      return found;
    },
  };
}

test("without a cursor it begins now", async () => {
  await happen(...someEvents(1, 2));
  const one = reader();
  const next = one.next(2);
  source.tell([delta(2, "x")]);
  await happen(...someEvents(3, 3));
  expect(await next).toEqual(["+x", "lane-3"]);
});

test("after a cursor it brings what is kept, then what happens, deltas in their place", async () => {
  await happen(...someEvents(1, 50));
  const one = reader({ after: (await store.events({ limit: 1 })).cursor });
  expect(await one.next(49)).toEqual(someEvents(2, 50).map(({ event }) => event.id));
  const next = one.next(3);
  await expect.poll(() => source.listeners.size).toBe(1);
  await new Promise((resolve) => setImmediate(resolve));
  source.tell([delta(50, "x"), ...(await commit(someEvents(51, 51))), delta(51, "y")]);
  expect(await next).toEqual(["+x", "lane-51", "+y"]);
});

test("what is durable and not yet told comes once", async () => {
  await happen(...someEvents(1, 1));
  const one = reader({ after: (await store.events({ limit: 1 })).cursor });
  const next = one.next(3);
  const untold = await commit(someEvents(2, 3));
  await new Promise((resolve) => setImmediate(resolve));
  source.tell(untold);
  await happen(...someEvents(4, 4));
  expect(await next).toEqual(["lane-2", "lane-3", "lane-4"]);
});

test("however commits, tellings and reads fall, nothing is missing and nothing comes twice", async () => {
  const one = reader({ after: await store.eventsEnd() });
  const reading = one.next(400);
  for (let seq = 1; seq <= 400; seq += 2) {
    const told = await commit(someEvents(seq, seq + 1));
    if (seq % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
    source.tell(told);
    if (seq % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await reading).toEqual(someEvents(1, 400).map(({ event }) => event.id));
});

test("of one lane it brings that lane only", async () => {
  await happen(...someEvents(1, 2), ...someEvents(1, 2, "other"));
  const one = reader({ after: Buffer.from("e1.0").toString("base64url"), lane: "lane" });
  expect(await one.next(2)).toEqual(["lane-1", "lane-2"]);
  const next = one.next(2);
  await new Promise((resolve) => setImmediate(resolve));
  source.tell([delta(2, "not mine", "other"), ...(await commit(someEvents(3, 3, "other"))), delta(2, "mine")]);
  await happen(...someEvents(3, 3));
  expect(await next).toEqual(["+mine", "lane-3"]);
});

test("a slow reader loses deltas and nothing else, holds little, and is live again when it has caught up", async () => {
  const slow = reader();
  const first = slow.next(1);
  await happen(...someEvents(1, 1));
  expect(await first).toEqual(["lane-1"]);
  for (let seq = 2; seq <= 1500; seq += 2) {
    source.tell([delta(seq - 1, "x"), ...(await commit(someEvents(seq, seq + 1), 10_000))]);
  }
  const rest = await slow.next(1500);
  expect(rest.filter((words) => !words.startsWith("+"))).toEqual(someEvents(2, 1501).map(({ event }) => event.id));
  const next = slow.next(1);
  await new Promise((resolve) => setImmediate(resolve));
  source.tell([delta(1501, "live")]);
  expect(await next).toEqual(["+live"]);
});

test("whoever comes back too late is told so once", async () => {
  await happen(...someEvents(1, 1));
  const { cursor } = await store.events({ limit: 1 });
  source.tell(await commit(someEvents(2, 50), 10));
  const late = reader({ after: cursor });
  expect((await late.next(11)).slice(0, 2)).toEqual(["reset", "lane-41"]);
});

test("ends when nobody wants it any more, also in mid-wait, and leaves nothing behind", async () => {
  const one = reader();
  const next = one.next(1);
  await expect.poll(() => source.listeners.size).toBe(1);
  one.stop();
  expect(await next).toEqual(["end"]);
  expect(source.listeners.size).toBe(0);
});

test("a reader that goes while it holds an event, and asks for no more, is told nothing more", async () => {
  const gone = reader();
  const first = gone.next(1);
  await expect.poll(() => source.listeners.size).toBe(1);
  await happen(...someEvents(1, 2));
  expect(await first).toEqual(["lane-1"]);
  gone.stop();
  expect(source.listeners.size).toBe(0);
});
