/** A store that an older Waybill wrote is brought up to date when it is opened, and nothing in it is lost. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aMessage, aRecord } from "../../../test/support/records.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import { answerMail, failureMail } from "../../core/delivery/replies.ts";
import type { Message } from "../../core/message/message.ts";
import { payloadHash, recipientKey } from "../../core/message/message.ts";
import { ledger } from "./migrations/0001-ledger.ts";
import { daemon } from "./migrations/0002-daemon.ts";
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
  const lane = { id: "lane", member: "tom" } as Parameters<typeof answerMail>[1];
  const asked = aMessage({ text: "Is the build green?" });
  const record = aRecord(asked);
  addVersionOne(db, record, [asked, answerMail(record, lane, "Green as grass.", 0).message]);
  const askedOther = aMessage({ recipient: { kind: "lane", lane: "other" } });
  const failed = { ...aRecord(askedOther), id: "f".repeat(64), laneId: "other" };
  addVersionOne(db, failed, [askedOther, failureMail(failed, lane, "silence", 0).message]);
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
      .run(recipientKey(body.recipient), body.id, body.relayOfMessageId, payloadHash(message), JSON.stringify(body));
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

it("what was said before can be searched, by lane", async () => {
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

it("a failure that was told before stands in the lane that it happened in, also when another has that message id", async () => {
  const path = join(directory, "waybill.db");
  writeVersionOne(path);
  const store = openSqliteStore({ path });
  const { items } = await store.messages({ lane: "other", limit: 10 });
  expect(items.map((message) => message.from)).toEqual(["waybill", "user"]);
  await store.close();
});

it("the time that it takes grows with the store, and not with its square", () => {
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
  it("are those of version 5 in a record, its attempts included", () => {
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
  ])("are those of version 5 in %j", (old, renamed) => {
    expect(JSON.parse(renamedEvent(JSON.stringify(old)) ?? "")).toEqual(renamed);
  });
});
