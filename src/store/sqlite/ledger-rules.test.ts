/** The rules of the ledger hold in the file itself: SQL refuses whatever no transition would write. */
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { admit, move, submit } from "../../../test/support/core/deliveries.ts";
import { aLane } from "../../../test/support/daemon/waybill.ts";
import { StoreFile } from "../../../test/support/store/store-file.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import { deliveryColumns } from "./deliveries.ts";

let file: StoreFile;
let db: Database.Database;
/** One outstanding delivery, `m1`, and one that waits, `m2`. */
let held: DeliveryRecord;
let waiting: DeliveryRecord;

beforeEach(async () => {
  file = new StoreFile();
  const store = file.open();
  await store.putLane(aLane());
  held = await admit(store, { id: "m1" });
  waiting = await admit(store, { id: "m2" });
  ({ record: held } = await move(store, held, submit(held)));
  db = new Database(file.path);
  db.pragma("foreign_keys = ON");
});
afterEach(async () => {
  db.close();
  await file.dispose();
});

const write = (record: DeliveryRecord, change: Partial<DeliveryRecord>) => {
  const values = deliveryColumns.map(([, valueIn]) => valueIn({ ...record, ...change }));
  const set = deliveryColumns.map(([name]) => `${name} = ?`).join(", ");
  db.prepare(`UPDATE delivery SET ${set} WHERE id = ?`).run(...values, record.id);
};
const refused = (code: string, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });
const check = refused("SQLITE_CONSTRAINT_CHECK", /CHECK constraint failed/);

describe("a record is refused", () => {
  it("when it is outstanding without a next reconcile", () => {
    expect(() => write(held, { nextReconcileAt: null })).toThrow(check);
    expect(() => write(held, { nextReconcileAt: 1 })).not.toThrow();
  });

  it("when it is read without proof, unless a person cancelled it", () => {
    const read = { status: "responded", readCommittedAt: 1, turnEndedAt: 1 } as const;
    expect(() => write(held, read)).toThrow(check);
    expect(() => write(held, { ...read, proof: { by: "tool", visibleReply: null } })).not.toThrow();
    expect(() => write(held, { ...read, status: "cancelled" })).not.toThrow();
  });

  it("when its lane is held by another", () => {
    const second = { status: "submitting", nextReconcileAt: 1 } as const;
    expect(() => write(waiting, second)).toThrow(refused("SQLITE_CONSTRAINT_UNIQUE", /delivery\.lane_id/));
    write(held, { status: "failed_terminal" });
    expect(() => write(waiting, second)).not.toThrow();
  });

  it("when it has used more attempts than allowed", () => {
    expect(() => write(held, { attempts: 4 })).toThrow(check);
    expect(() => write(held, { attempts: 4, maxAttempts: 4 })).not.toThrow();
  });

  it("when its message or its lane does not exist", () => {
    const insert = db.prepare(`
      INSERT INTO delivery (id, message_seq, lane_id, version, status, outstanding, owed, attempts, max_attempts, updated_at, record)
      VALUES ('new', ?, ?, 1, 'pending', 0, 0, 0, 3, 0, '{}')`);
    db.exec(
      "INSERT INTO message (recipient, id, from_lane, payload_hash, body, created_at) VALUES ('x','x','x','x','{}',0)",
    );
    const seq = db.prepare("SELECT max(seq) FROM message").pluck().get();
    const missing = refused("SQLITE_CONSTRAINT_FOREIGNKEY", /FOREIGN KEY/);
    expect(() => insert.run(999, "lane")).toThrow(missing);
    expect(() => insert.run(seq, "nowhere")).toThrow(missing);
    expect(() => insert.run(seq, "lane")).not.toThrow();
  });
});

describe("a second row is refused", () => {
  it("for a runtime id that is already in use", () => {
    const [attempt] = held.attemptList;
    const insert = db.prepare(
      "INSERT INTO attempt (delivery_seq, number, runtime_message_id) SELECT message_seq, ?, ? FROM delivery WHERE id = ?",
    );
    expect(() => insert.run(2, attempt?.messageId, held.id)).toThrow(
      refused("SQLITE_CONSTRAINT_UNIQUE", /attempt\.runtime_message_id/),
    );
    expect(() => insert.run(1, "msg-new", held.id)).toThrow(
      refused("SQLITE_CONSTRAINT_PRIMARYKEY", /attempt\.delivery_seq/),
    );
    expect(() => insert.run(2, "msg-new", held.id)).not.toThrow();
  });

  it("for a delivery's change with the same version", () => {
    const columns = "position, at, lane_id, type, delivery_seq, version";
    const change = db.prepare(`
      INSERT INTO log (${columns}) SELECT ?, 0, lane_id, 'delivery', message_seq, ? FROM delivery WHERE id = ?`);
    expect(() => change.run(1000, 2, held.id)).toThrow(refused("SQLITE_CONSTRAINT_UNIQUE", /log\.delivery_seq/));
    expect(() => change.run(1001, 3, held.id)).not.toThrow();
  });

  it("for the same message to the same recipient", () => {
    const again =
      "INSERT INTO message (recipient, id, from_lane, payload_hash, body, created_at) VALUES (?,?,'x','x','{}',0)";
    expect(() => db.prepare(again).run("lane:lane", "m1")).toThrow(refused("SQLITE_CONSTRAINT_UNIQUE", /message\.id/));
    expect(() => db.prepare(again).run("lane:other", "m1")).not.toThrow();
  });
});
