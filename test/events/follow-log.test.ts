/** Following the log: from the store, live, and from one to the other without gaps or repetitions. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { LogFilter, LogItem, NewEvent } from "../../src/core/log/log-item.ts";
import { universalEventTypes } from "../../src/core/turn/universal-event.ts";
import type { FollowedItem } from "../../src/service/follow-log.ts";
import { followLog } from "../../src/service/follow-log.ts";
import type { LogStore } from "../../src/store/port.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { aDelta, someEvents } from "../support/core/events.ts";
import { aLane, World } from "../support/daemon/waybill.ts";

type Followed = Pick<LogStore, "readLog" | "logEnd" | "onLog">;

let world: World;
let store: Store;
let log: Watched;
beforeEach(async () => {
  world = new World();
  store = openSqliteStore({ path: world.storePath });
  for (const id of ["lane", "other"]) await store.putLane(aLane({ id }));
  log = new Watched(store);
});
afterEach(async () => {
  await store.close();
  await world.dispose();
});

/** The log of a store. While it is held, it publishes durable items a moment later, as another process's would. */
class Watched implements Followed {
  readonly listeners = new Set<(items: readonly LogItem[]) => void>();
  readonly #store: Store;
  #end: string;
  #held: LogItem[] | null = null;

  constructor(real: Store) {
    this.#store = real;
    this.#end = real.logEnd();
    real.onLog((items) => (this.#held ? this.#held.push(...items) : this.#tell(items)));
  }

  hold(): void {
    this.#held = [];
  }

  release(): void {
    const items = this.#held ?? [];
    this.#held = null;
    this.#tell(items);
  }

  logEnd = () => this.#end;
  readLog = (query: Parameters<Store["readLog"]>[0]) => this.#store.readLog(query);
  onLog = (listener: (items: readonly LogItem[]) => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  #tell(items: readonly LogItem[]): void {
    this.#end = items.findLast(({ cursor }) => cursor !== null)?.cursor ?? this.#end;
    for (const listener of this.listeners) listener(items);
  }
}

const happen = (...events: NewEvent[]) => store.appendEvents(events, 1000);
const ids = (from: number, to: number, lane = "lane") => someEvents(from, to, lane).map(({ event }) => event.id);

async function cursorAfter(count: number): Promise<string> {
  return (await store.readLog({ types: universalEventTypes, limit: count })).cursor;
}

function words(item: FollowedItem): string {
  if (item.type !== "event") return item.type;
  return item.event.type === "item.delta" ? `+${item.event.data.text}` : item.event.id;
}

function reader(options: LogFilter & { after?: string } = {}) {
  const stop = new AbortController();
  const items = followLog(log, { ...options, signal: stop.signal });
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

test("without a cursor it starts now", async () => {
  await happen(...someEvents(1, 2));
  const one = reader();
  const next = one.next(3);
  await happen(aDelta(2, "x"));
  await store.pauseLane("lane", "lunch");
  await happen(...someEvents(3, 3));
  expect(await next).toEqual(["+x", "lane", "lane-3"]);
});

test("after a cursor it yields kept items, then new ones, with deltas in order", async () => {
  await happen(...someEvents(1, 50));
  const one = reader({ after: await cursorAfter(1) });
  expect(await one.next(49)).toEqual(ids(2, 50));
  const next = one.next(4);
  await expect.poll(() => log.listeners.size).toBe(1);
  await nextTurn();
  await Promise.all([
    happen(aDelta(50, "x"), ...someEvents(51, 51)),
    store.pauseLane("lane", "lunch"),
    happen(aDelta(51, "y")),
  ]);
  expect(await next).toEqual(["+x", "lane-51", "lane", "+y"]);
});

test("an item that is durable and not yet published comes once", async () => {
  await happen(...someEvents(1, 1));
  const one = reader({ after: await cursorAfter(1) });
  const next = one.next(3);
  log.hold();
  await happen(...someEvents(2, 3));
  await nextTurn();
  log.release();
  await happen(...someEvents(4, 4));
  expect(await next).toEqual(ids(2, 4));
});

test("however commits, publications and reads interleave, nothing is missing and nothing comes twice", async () => {
  const one = reader({ after: store.logEnd() });
  const reading = one.next(400);
  for (let seq = 1; seq <= 400; seq += 2) {
    log.hold();
    await happen(...someEvents(seq, seq + 1));
    if (seq % 3 === 0) await nextTurn();
    log.release();
    if (seq % 7 === 0) await nextTurn();
  }
  expect(await reading).toEqual(ids(1, 400));
});

test("with a lane it yields that lane only", async () => {
  await happen(...someEvents(1, 2), ...someEvents(1, 2, "other"));
  const one = reader({ after: "0", lane: "lane" });
  expect(await one.next(3)).toEqual(["lane", "lane-1", "lane-2"]);
  const next = one.next(2);
  await nextTurn();
  await happen(aDelta(2, "not mine", "other"), ...someEvents(3, 3, "other"), aDelta(2, "mine"));
  await happen(...someEvents(3, 3));
  expect(await next).toEqual(["+mine", "lane-3"]);
});

test("with types it yields those only, kept and live", async () => {
  await happen(...someEvents(1, 2));
  const one = reader({ after: "0", types: ["lane", "item.delta"] });
  expect(await one.next(2)).toEqual(["lane", "lane"]);
  const next = one.next(2);
  await nextTurn();
  await happen(...someEvents(3, 3), aDelta(3, "x"));
  await store.pauseLane("other", "lunch");
  expect(await next).toEqual(["+x", "lane"]);
});

test("a slow reader loses only deltas, uses little memory, and is live again when it has caught up", async () => {
  const slow = reader();
  const first = slow.next(1);
  await happen(...someEvents(1, 1));
  expect(await first).toEqual(["lane-1"]);
  for (let seq = 2; seq <= 1500; seq += 2) {
    await store.appendEvents([aDelta(seq - 1, "x"), ...someEvents(seq, seq + 1)], 10_000);
  }
  const rest = await slow.next(1500);
  expect(rest.filter((line) => !line.startsWith("+"))).toEqual(ids(2, 1501));
  const next = slow.next(1);
  await nextTurn();
  await happen(aDelta(1501, "live"));
  expect(await next).toEqual(["+live"]);
});

test("a reader that comes back too late gets one reset", async () => {
  await happen(...someEvents(1, 1));
  const after = await cursorAfter(1);
  await store.appendEvents(someEvents(2, 50), 10);
  const late = reader({ after });
  expect(await late.next(11)).toEqual(["reset", ...ids(41, 50)]);
  const next = late.next(1);
  await happen(...someEvents(51, 51));
  expect(await next).toEqual(["lane-51"]);
});

test("it ends when aborted, even while waiting, and leaves nothing behind", async () => {
  const one = reader();
  const next = one.next(1);
  await expect.poll(() => log.listeners.size).toBe(1);
  one.stop();
  expect(await next).toEqual(["end"]);
  expect(log.listeners.size).toBe(0);
});

test("a reader that leaves while it holds an event, and asks for no more, gets nothing more", async () => {
  const gone = reader();
  const first = gone.next(1);
  await expect.poll(() => log.listeners.size).toBe(1);
  await happen(...someEvents(1, 2));
  expect(await first).toEqual(["lane-1"]);
  gone.stop();
  expect(log.listeners.size).toBe(0);
});
