/** One order of everything that happened, with one kind of cursor, readable from any point. */
import { expect, it } from "vitest";
import type { LogFilter, LogItem, LogType } from "../../../src/core/log/log-item.ts";
import { ledgerTypes } from "../../../src/core/log/log-item.ts";
import { nameIn } from "../../../src/core/message/message.ts";
import { universalEventTypes } from "../../../src/core/turn/universal-event.ts";
import { admit, move, proven, start, submit, toPerson } from "../../support/core/deliveries.ts";
import { someEvents } from "../../support/core/events.ts";
import type { Subject } from "../store-conformance.ts";
import { anAlert } from "./alerts.ts";

const keep = 100;
const isEverything = Number.MAX_SAFE_INTEGER;
const toOther = { recipient: { kind: "lane", lane: "other" } } as const;

export function words(item: LogItem): string {
  switch (item.type) {
    case "message":
      return `message ${item.message.id}`;
    case "delivery":
      return `delivery ${item.event.type} ${item.record.messageId}`;
    case "alert":
      return `alert ${item.alert.id}`;
    case "lane":
      return `lane ${item.laneId} ${item.lane ? (item.lane.pausedReason ?? "runs") : "removed"}`;
    case "team":
      return `team ${item.name} ${item.team?.state ?? "removed"}`;
    case "member":
      return `member ${item.member} ${item.state}`;
    case "ask":
      return `ask ${item.ask} ${item.open ? "open" : "over"}`;
    case "read":
      return `read ${nameIn(item.reader)}`;
    case "inbox":
      return `inbox ${item.team}/${item.inbox} ${item.event} ${item.messageId} ${item.state}`;
    case "event":
      return item.event.type === "item.delta" ? `delta ${item.event.data.text}` : `event ${item.event.id}`;
    default:
      return item satisfies never;
  }
}

export const admitted = (...ids: readonly string[]) =>
  ids.flatMap((id) => [`message ${id}`, `delivery admitted ${id}`]);
const happened = (from: number, to: number, lane = "lane") =>
  someEvents(from, to, lane).map(({ event }) => `event ${event.id}`);

export function log(subject: Subject): void {
  const since = async (after?: string, filter: LogFilter & { limit?: number } = {}) => {
    const page = await subject.store.readLog({ after, limit: 1000, ...filter });
    return { said: page.items.map(words), ...page };
  };
  const append = (from: number, to: number, lane = "lane") =>
    subject.store.appendEvents(someEvents(from, to, lane), keep);
  const prune = (times: { log?: number; events?: number }) =>
    subject.store.prune({ responded: 0, failed: 0, log: 0, events: 0, stats: 0, ...times });

  it("returns messages, deliveries, lanes, alerts and events in the order in which they were written", async () => {
    const { store } = subject;
    const before = store.logEnd();
    const record = await admit(store, { id: "m1" });
    await append(1, 1);
    await move(store, record, submit(record));
    await store.pauseLane("lane", "lunch");
    await store.raise(anAlert);
    await append(2, 2);
    const { message, payloadHash } = toPerson({ id: "r1", fromLane: "lane", laneId: "lane" });
    await store.admit({ message, payloadHash, delivery: null, choice: null });
    const page = await since(before);
    expect(page.said).toEqual([
      ...admitted("m1"),
      "event lane-1",
      "delivery submit m1",
      "lane lane lunch",
      "alert ask:a1",
      "event lane-2",
      "message r1",
    ]);
    expect([page.reset, page.cursor]).toEqual([null, store.logEnd()]);
  });

  it("is the same after a restart, with the writes of one tick in the order of their calls", async () => {
    const { store } = subject;
    const before = store.logEnd();
    await Promise.all([
      append(1, 1),
      store.pauseLane("lane", "lunch"),
      append(2, 2),
      store.raise(anAlert),
      append(1, 1, "other"),
    ]);
    const page = await since(before);
    const lines = ["event lane-1", "lane lane lunch", "event lane-2", "alert ask:a1", "event other-1"];
    expect(page.said).toEqual(lines);
    await subject.reopen();
    expect(await since(before)).toEqual(page);
    expect(subject.store.logEnd()).toBe(page.cursor);
  });

  it("has an entry when a lane's settings change, but not when they are written unchanged", async () => {
    const { store } = subject;
    const lane = await store.lane("lane");
    if (!lane) throw new Error("no lane");
    const before = store.logEnd();
    await store.putLane(lane);
    expect((await since(before)).said).toEqual([]);
    await store.putLane({ ...lane, model: "another" });
    expect((await since(before)).said).toEqual(["lane lane runs"]);
  });

  it("continues after any cursor, even after a restart, without gaps or repetitions", async () => {
    const before = subject.store.logEnd();
    for (const [index, id] of ["m1", "m2", "m3"].entries()) {
      await admit(subject.store, { id });
      await append(index + 1, index + 1);
    }
    const all = await since(before);
    expect(all.said).toEqual(["m1", "m2", "m3"].flatMap((id, index) => [...admitted(id), `event lane-${index + 1}`]));
    for (const [index, { cursor }] of all.items.entries()) {
      expect((await since(cursor ?? "")).said).toEqual(all.said.slice(index + 1));
    }
    const seen: string[] = [];
    for (let cursor = before; ; ) {
      const page = await since(cursor, { limit: 2 });
      if (page.items.length === 0) break;
      seen.push(...page.said);
      cursor = page.cursor;
      await subject.reopen();
    }
    expect(seen).toEqual(all.said);
  });

  it("starts with the oldest entry if no cursor is given", async () => {
    expect((await since()).said).toEqual(["lane lane runs", "lane other runs"]);
    await prune({ log: isEverything });
    await append(1, 1);
    const page = await since();
    expect([page.reset, page.said]).toEqual([null, ["event lane-1"]]);
  });

  it("returns only the given lane, and moves past entries of others", async () => {
    const { store } = subject;
    const before = store.logEnd();
    await admit(store, { id: "m1", ...toOther });
    await admit(store, { id: "m2" });
    await append(1, 2);
    await append(1, 2, "other");
    await admit(store, { id: "m3", ...toOther });
    const page = await since(before, { lane: "lane" });
    expect(page.said).toEqual([...admitted("m2"), ...happened(1, 2)]);
    expect(page.cursor).toBe(store.logEnd());
    expect((await since(page.cursor, { lane: "lane" })).said).toEqual([]);
  });

  it("returns only the wanted types, of one lane or of all, and moves past the others", async () => {
    const { store } = subject;
    const before = store.logEnd();
    await admit(store, { id: "m1" });
    await append(1, 2);
    await store.raise(anAlert);
    await admit(store, { id: "m2", ...toOther });
    await append(1, 1, "other");
    const said = async (types: readonly LogType[], lane?: string) => {
      const page = await since(before, { types, lane });
      expect(page.cursor).toBe(store.logEnd());
      return page.said;
    };
    expect(await said(["message", "alert"])).toEqual(["message m1", "alert ask:a1", "message m2"]);
    expect(await said(["message", "error"], "other")).toEqual(["message m2", "event other-1"]);
    expect(await said(universalEventTypes)).toEqual([...happened(1, 2), ...happened(1, 1, "other")]);
    expect(await said(ledgerTypes, "lane")).toEqual([...admitted("m1"), "alert ask:a1"]);
    expect(await said(["turn.ended"])).toEqual([]);
    expect(await said([])).toEqual([]);
  });

  it("finds a few wanted entries behind many others", async () => {
    const { store } = subject;
    const before = store.logEnd();
    await store.appendEvents(someEvents(1, 6000), 10_000);
    await admit(store, { id: "m1" });
    await store.appendEvents(someEvents(6001, 12_000), 10_000_000);
    await admit(store, { id: "m2", ...toOther });
    const seen: string[] = [];
    for (let cursor = before; ; ) {
      const page = await since(cursor, { types: ["message"], limit: 1 });
      if (page.items.length === 0) break;
      seen.push(...page.said);
      cursor = page.cursor;
    }
    expect(seen).toEqual(["message m1", "message m2"]);
    expect((await since(before, { lane: "other", limit: 10 })).said).toEqual(admitted("m2"));
  });

  it("resets when entries after a cursor were pruned", async () => {
    const before = subject.store.logEnd();
    await admit(subject.store, { id: "m1" });
    await prune({ log: isEverything });
    const after = subject.store.logEnd();
    expect((await since(after)).said).toEqual([]);
    await admit(subject.store, { id: "m2" });
    expect(await since(after)).toMatchObject({ reset: null, said: admitted("m2") });
    expect(await since(before)).toMatchObject({ reset: { type: "reset", at: start }, said: admitted("m2") });
  });

  it("resets once, whether the reader continues from the reset, from an item or from the page", async () => {
    const before = subject.store.logEnd();
    await append(1, 2);
    const [, second] = (await since(before)).items;
    await append(1, 3, "other");
    for (let seq = 3; seq <= 202; seq += 50) await append(seq, seq + 49);
    const part = await since(second?.cursor ?? "", { limit: 2 });
    expect(part.said).toEqual(happened(1, 2, "other"));
    const [first] = part.items;
    expect(await since(part.reset?.cursor, { limit: 2 })).toMatchObject({ reset: null, said: part.said });
    expect(await since(first?.cursor ?? "", { limit: 1 })).toMatchObject({ reset: null, said: part.said.slice(1) });
    await subject.reopen();
    expect(await since(part.cursor, { limit: 1 })).toMatchObject({ reset: null, said: ["event other-3"] });
  });

  it("resets only readers who wanted the missing entries", async () => {
    const before = subject.store.logEnd();
    await admit(subject.store, { id: "m1" });
    for (let seq = 1; seq <= 200; seq += 50) await append(seq, seq + 49);
    await append(1, 1, "other");
    const isReset = async (filter: LogFilter) => (await since(before, filter)).reset !== null;
    const filters: LogFilter[] = [
      {},
      { lane: "lane" },
      { types: ["message", "error"] },
      { types: ["message"] },
      { lane: "other" },
    ];
    expect(await Promise.all(filters.map(isReset))).toEqual([true, true, true, false, false]);
    const later = subject.store.logEnd();
    await admit(subject.store, { id: "m2" });
    await prune({ log: isEverything });
    const isResetLater = async (filter: LogFilter) => (await since(later, filter)).reset !== null;
    expect(await Promise.all([{ types: universalEventTypes }, { types: ledgerTypes }, {}].map(isResetLater))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("loses only its beginning, even if the clock was set back in between", async () => {
    const before = subject.store.logEnd();
    const admitAt = (id: string, ms: number) => admit(subject.store, { id, createdAt: start + ms });
    for (const [id, ms] of [
      ["m1", 0],
      ["m2", 5000],
      ["m3", 1000],
    ] as const)
      await admitAt(id, ms);
    await prune({ log: start + 2000 });
    const left = await since(before);
    expect(left.reset).not.toBeNull();
    expect(left.said).toEqual(admitted("m2", "m3"));
  });

  it("never reuses a cursor, even if its entry was pruned", async () => {
    const { store } = subject;
    await admit(store, { id: "m1", createdAt: start + 5000 });
    const old = await admit(store, { id: "m2", ...toOther });
    await move(store, old, submit(old), proven());
    const end = store.logEnd();
    const times = { responded: start + 2000, failed: start + 2000, log: start + 2000, events: 0, stats: 0 };
    await store.prune(times);
    await subject.reopen();
    await admit(subject.store, { id: "m3" });
    expect(await since(end)).toMatchObject({ reset: null, said: admitted("m3") });
    await subject.store.prune(times);
    expect(await subject.store.delivery(old.id)).toBeNull();
  });

  it("resets for a cursor beyond the end, as after a restore, and starts with the oldest entry", async () => {
    const { store } = subject;
    await append(1, 2);
    const page = await since("99999");
    expect(page.reset).toMatchObject({ type: "reset" });
    expect(page.said).toEqual(["lane lane runs", "lane other runs", ...happened(1, 2)]);
    expect(page.cursor).toBe(store.logEnd());
    expect((await since(page.cursor)).reset).toBeNull();
  });

  it.each(["v1.7", "e1.7", "e1.7.9"])("resets for cursor %s of an earlier version", async (cursor) => {
    await append(1, 1);
    const page = await since(Buffer.from(cursor).toString("base64url"));
    expect(page).toMatchObject({
      reset: { type: "reset" },
      said: [expect.any(String), expect.any(String), "event lane-1"],
    });
  });

  it.each(["nonsense", "", "-1", "1-", "1.5", "1e3", " 1", "1 OR 1"])(
    "refuses an invalid cursor: %j",
    async (cursor) => {
      await expect(since(cursor)).rejects.toMatchObject({ code: "cursor_invalid" });
    },
  );
}
