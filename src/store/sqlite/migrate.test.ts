/** A store that an older Waybill wrote is migrated when it is opened, and nothing in it is lost. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  accepted,
  admit,
  cancelled,
  failedForGood,
  move,
  proven,
  retryScheduled,
  start,
  submit,
  toPerson,
  unanswered,
} from "../../../test/support/core/deliveries.ts";
import { anEvent, logged, someEvents } from "../../../test/support/core/events.ts";
import { aMessage, aRecord } from "../../../test/support/core/records.ts";
import { aLane } from "../../../test/support/daemon/waybill.ts";
import type { OutgoingMail } from "../../core/delivery/delivery-event.ts";
import { defaultPolicy } from "../../core/delivery/policy.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import { answerMail, failureMail } from "../../core/delivery/texts.ts";
import type { Lane } from "../../core/lane/lane.ts";
import { dayOf } from "../../core/lane/lane.ts";
import type { Message } from "../../core/message/message.ts";
import { addressKey, payloadHash } from "../../core/message/message.ts";
import { ledger } from "./migrations/0001-ledger.ts";
import { daemon } from "./migrations/0002-daemon.ts";
import { usage } from "./migrations/0003-usage.ts";
import { events } from "./migrations/0004-events.ts";
import { renamedEvent, renamedRecord } from "./migrations/stored-names.ts";
import { openSqliteStore } from "./sqlite-store.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "waybill-migrate-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** As version 1 wrote it: messages did not name their lane. One id in two lanes; one answered, one failed. */
function writeVersionOne(path: string): void {
  const db = new Database(path);
  db.exec(ledger);
  db.pragma("user_version = 1");
  for (const id of ["lane", "other"]) {
    db.exec(
      `INSERT INTO lane (id, runtime, directory, contract, created_at) VALUES ('${id}', 'stub', '/tmp', 'text', 0)`,
    );
  }
  const lane = { id: "lane", member: "tom" } as Lane;
  const context = { lane, replyLane: null, policy: defaultPolicy, at: 0 };
  const only = ([mail]: OutgoingMail[]) => mail?.message as Message;
  const asked = aMessage({ text: "Is the build green?" });
  const record = aRecord(asked);
  addVersionOne(db, record, [asked, only(answerMail(record, "Green as grass.", context))]);
  const askedOther = aMessage({ recipient: { kind: "lane", lane: "other" } });
  const failed = { ...aRecord(askedOther), id: "f".repeat(64), laneId: "other" };
  addVersionOne(db, failed, [askedOther, only(failureMail(failed, "silence", context))]);
  db.close();
}

function addVersionOne(db: Database.Database, record: DeliveryRecord, [asked, ...back]: [Message, ...Message[]]): void {
  const add = (message: Message) => {
    const { laneId: _, ...body } = message;
    return db
      .prepare(
        `INSERT INTO message (recipient, id, relay_of_message_id, payload_hash, body, created_at)
         VALUES (?, ?, ?, ?, ?, 0)`,
      )
      .run(addressKey(body.recipient), body.id, body.relayOfMessageId, payloadHash(message), JSON.stringify(body));
  };
  const { lastInsertRowid } = add(asked);
  db.prepare("INSERT INTO delivery (id, message_seq, lane_id, record) VALUES (?, ?, ?, ?)").run(
    record.id,
    lastInsertRowid,
    record.laneId,
    JSON.stringify(record),
  );
  db.prepare("INSERT INTO delivery_event VALUES (?, 1, 0, 'admitted', ?)").run(
    record.id,
    JSON.stringify({ type: "admitted", at: 0, record }),
  );
  for (const message of back) add(message);
}

it("older messages can be searched, by lane", async () => {
  const path = join(directory, "waybill.db");
  writeVersionOne(path);
  const store = openSqliteStore({ path });
  const found = await store.messages({ lane: "lane", query: "green", limit: 10 });
  expect(found.items.map((message) => [message.text, message.laneId])).toEqual([
    ["Green as grass.", "lane"],
    ["Is the build green?", "lane"],
  ]);
  expect(await store.check()).toEqual([]);
  expect(await store.lanes()).toMatchObject([
    { id: "lane", displayName: null },
    { id: "other", displayName: null },
  ]);
  await store.close();
});

it("an older failure notice is in its own lane, even if another lane has the same message id", async () => {
  const path = join(directory, "waybill.db");
  writeVersionOne(path);
  const store = openSqliteStore({ path });
  const { items } = await store.messages({ lane: "other", limit: 10 });
  expect(items.map((message) => message.from)).toEqual(["waybill", "user"]);
  await store.close();
});

/** As version 4 wrote it: a feed of what happened to messages, and a log of agent events, each with its own cursors. */
function writeVersionFour(path: string): void {
  const db = new Database(path);
  for (const step of [ledger, daemon, usage, events]) db.exec(step);
  db.pragma("user_version = 4");
  for (const id of ["lane", "other"]) {
    db.exec(
      `INSERT INTO lane (id, runtime, directory, contract, created_at) VALUES ('${id}', 'stub', '/tmp', 'text', 0)`,
    );
  }
  const add = db.prepare("INSERT INTO event (lane_id, seq, at, body) VALUES (?, ?, ?, ?)");
  const started = logged(anEvent({ seq: 4 }, { type: "turn.started", data: { prompt: null } }));
  for (const { event, text } of [...someEvents(3, 3), started, ...someEvents(1, 2, "other")]) {
    add.run(event.lane, event.seq, event.time, text);
  }
  db.exec("INSERT INTO event_lane VALUES ('lane', 3, 4, 1, 1), ('other', 1, 2, 0, 0)");
  const forgotten = aMessage({ id: "old" });
  addVersionOne(db, aRecord(forgotten), [forgotten]);
  // Pruned, while the delivery is open.
  db.exec("DELETE FROM feed");
  const told = aMessage({ id: "new", recipient: { kind: "lane", lane: "other" } });
  addVersionOne(db, { ...aRecord(told), id: "e".repeat(64), laneId: "other" }, [told]);
  const body = JSON.stringify({ id: "ask:a1", laneId: "lane", raisedAt: 7 });
  db.prepare("INSERT INTO alert (id, body, raised_at) VALUES ('ask:a1', ?, 7)").run(body);
  db.close();
}

describe("the feed and the events of version 4", () => {
  const opened = () => {
    const path = join(directory, "waybill.db");
    writeVersionFour(path);
    return openSqliteStore({ path });
  };

  it("become one log with all earlier entries, and events continue their numbers", async () => {
    const store = opened();
    const { items, cursor } = await store.readLog({ limit: 100 });
    expect(items.map((item) => (item.type === "event" ? item.event.id : item.type))).toEqual([
      ...["lane-3", "lane-4", "other-1", "other-2"],
      ...["message", "delivery", "alert"],
    ]);
    expect(items).toMatchObject([
      ...[{}, {}, {}, {}],
      { message: { id: "new" } },
      { record: { messageId: "new" }, event: { type: "admitted" }, laneId: "other" },
      { alert: { id: "ask:a1" }, laneId: "lane", at: 7 },
    ]);
    expect(await store.lanesInTurn()).toEqual(["lane"]);
    await store.appendEvents([...someEvents(5, 5), ...someEvents(3, 3, "other")], 100);
    const { items: later } = await store.readLog({ after: cursor, limit: 100 });
    expect(later.map((item) => item.type === "event" && item.event.id)).toEqual(["lane-5", "other-3"]);
    expect(await store.check()).toEqual([]);
    await store.close();
  });

  it("lose no audit, even of a delivery that was pruned from the feed", async () => {
    const store = opened();
    const { items } = await store.deliveries({ limit: 10 });
    expect(items.map(({ messageId }) => messageId)).toEqual(["new", "old"]);
    for (const { id } of items) expect(await store.history(id)).toMatchObject([{ type: "admitted" }]);
    await store.close();
  });

  it.each(["v1.1", "e1.2"])("have cursors such as %s, which get one reset", async (old) => {
    const store = opened();
    const page = await store.readLog({ after: Buffer.from(old).toString("base64url"), limit: 3 });
    expect(page).toMatchObject({ reset: { type: "reset" }, items: [{ type: "event" }, {}, {}] });
    expect((await store.readLog({ after: page.cursor, limit: 100 })).reset).toBeNull();
    await store.close();
  });
});

it("a migration takes linear time", () => {
  const db = new Database(":memory:");
  const [change = "", ...more] = daemon.match(/UPDATE message [^;]*;/g) ?? [];
  expect(more).toEqual([]);
  db.exec(ledger);
  for (const [statement] of daemon.slice(0, daemon.indexOf(change)).matchAll(/(ALTER|CREATE INDEX) [^;]*;/g)) {
    db.exec(statement);
  }
  const plan = db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${change}`).all();
  expect(plan.map((step) => step.detail).filter((detail) => detail.startsWith("SCAN"))).toEqual(["SCAN message"]);
});

describe("names of version 4", () => {
  it("are renamed in a record, including its attempts", () => {
    const attempt = { number: 2, kind: "summary", spends: "further", sessionId: "s1" };
    const old = { id: "d1", nextLookAt: 5, looks: 3, attemptList: [attempt], nextAttempt: { spends: "further" } };
    expect(JSON.parse(renamedRecord(JSON.stringify(old)))).toEqual({
      id: "d1",
      nextReconcileAt: 5,
      reconciles: 3,
      attemptList: [{ ...attempt, spends: "follow_ups" }],
      nextAttempt: { spends: "follow_ups" },
    });
  });

  it.each([
    [
      { type: "looked", found: true, lookAt: 9 },
      { type: "reconciled", found: true, reconcileAt: 9 },
    ],
    [
      { type: "files_looked_for", missing: ["looks"], next: { spends: "further" }, lookAt: 9 },
      { type: "files_checked", missing: ["looks"], next: { spends: "follow_ups" }, reconcileAt: 9 },
    ],
    [
      { type: "asked_further", attempt: { spends: "further" }, lookAt: 9 },
      { type: "submit_follow_up", attempt: { spends: "follow_ups" }, reconcileAt: 9 },
    ],
    [
      { type: "admitted", record: { nextLookAt: null, looks: 0 } },
      { type: "admitted", record: { nextReconcileAt: null, reconciles: 0 } },
    ],
    [
      { type: "attempts_searched", found: [{ spends: "attempts" }] },
      { type: "attempts_searched", found: [{ spends: "attempts" }] },
    ],
  ])("are renamed in %j", (old, renamed) => {
    expect(JSON.parse(renamedEvent(JSON.stringify(old)) ?? "")).toEqual(renamed);
  });
});

describe("lanes that named a team and a member before teams existed", () => {
  it("create them, and of two lanes with the same name the older one gets it", async () => {
    const path = join(directory, "waybill.db");
    const db = new Database(path);
    db.exec(ledger);
    db.pragma("user_version = 1");
    const add = db.prepare(
      "INSERT INTO lane (id, team, member, runtime, directory, contract, created_at) VALUES (?, ?, ?, 'stub', '/tmp', 'tool', ?)",
    );
    add.run("older", "Core Team", "Tom", 1);
    add.run("newer", "core team", "tom", 2);
    add.run("other", "core team", "Anna", 3);
    add.run("alone", null, null, 4);
    db.close();
    const store = openSqliteStore({ path });
    try {
      const members = (await store.teams()).flatMap(({ name, members: all }) =>
        all.map((one) => [name, one.name, one.lane]),
      );
      expect(members).toEqual([
        ["core-team", "tom", "older"],
        ["core-team", "anna", "other"],
      ]);
      // A lane that is not a member must not write as one.
      expect(await store.lane("newer")).toMatchObject({ team: null, member: null });
      expect(await store.check()).toEqual([]);
    } finally {
      await store.close();
    }
  });
});

const withoutMembers = "DROP INDEX message_of_member; ALTER TABLE message DROP COLUMN member";

it("older messages to and from members are in their conversations", async () => {
  const path = join(directory, "waybill.db");
  const nate = { kind: "member" as const, team: "crew", member: "nate" };
  const before = openSqliteStore({ path });
  for (const [id, fields] of Object.entries({ a: { recipient: nate }, b: { fromMember: nate }, c: {} })) {
    const { message, payloadHash } = toPerson({ id });
    await before.admit({ message: { ...message, ...fields }, payloadHash, delivery: null, choice: null });
  }
  await before.close();
  const db = new Database(path);
  db.exec(withoutMembers);
  db.pragma("user_version = 10");
  db.close();

  const store = openSqliteStore({ path });
  const { items } = await store.messages({ member: nate, limit: 9 });
  expect(items.map(({ id }) => id)).toEqual(["b", "a"]);
  await store.close();
});

it("deliveries that ended before statistics existed are counted from their records, and can change", async () => {
  const path = join(directory, "waybill.db");
  const before = openSqliteStore({ path });
  for (const id of ["lane", "other"]) await before.putLane(aLane({ id }));
  const sent = async (id: string, lane = "lane") => {
    const record = await admit(before, { id, recipient: { kind: "lane", lane } });
    return (await move(before, record, submit(record))).record;
  };
  const dayMs = 24 * 3600_000;
  await move(before, await sent("m1"), proven({ at: start + 1000 }));
  await move(before, await sent("m2"), cancelled(start + dayMs), { type: "turn_ended", at: start + 2 * dayMs });
  const retried = await move(before, await sent("m3"), accepted(), unanswered(), retryScheduled());
  const { record: failed } = await move(before, retried.record, submit(retried.record), failedForGood());
  await move(before, await sent("m4", "other"), proven());
  await before.countUsage("lane", [{ messageId: "a1", day: dayOf(start), tokens: 10, cost: 0.25 }]);
  await before.countUsage("other", [{ messageId: "a1", day: "2025-12-24", tokens: 5, cost: 0 }]);
  const counted = await before.dayStats({ from: "2025-01-01" });
  expect(counted).toHaveLength(4);
  await before.close();
  const db = new Database(path);
  db.exec(`DROP TABLE day_stats; ALTER TABLE store_state DROP COLUMN usage_floor; ${withoutMembers}`);
  // A record that cannot be read is found by a check, but must not prevent a start.
  db.prepare("UPDATE delivery SET record = '{' WHERE lane_id = 'other'").run();
  db.pragma("user_version = 9");
  db.close();

  const store = openSqliteStore({ path });
  const untimed = { accept: null, firstToken: null, proof: null };
  expect(await store.dayStats({ from: "2025-01-01" })).toEqual(
    counted.filter(({ laneId, tokens }) => laneId === "lane" || tokens > 0).map((day) => ({ ...day, ...untimed })),
  );
  await move(store, failed, proven({ at: start + dayMs }));
  expect(await store.dayStats({ from: dayOf(start), laneId: "lane" })).toMatchObject([
    { responded: 1, failed: 0, retries: 0, tokens: 10 },
    { responded: 1, cancelled: 1, retries: 1, proof: { maxMs: dayMs } },
  ]);
  await store.close();
});
