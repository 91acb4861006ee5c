/** Restoring a backup: only a sound one, only without a daemon, and nothing is thrown away. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  accepted,
  admit,
  failedForGood,
  move,
  proven,
  retriedByPerson,
  start,
  submit,
} from "../../../test/support/core/deliveries.ts";
import { someEvents } from "../../../test/support/core/events.ts";
import { aLane } from "../../../test/support/daemon/waybill.ts";
import { heldMessage, StoreFile } from "../../../test/support/store/store-file.ts";
import { universalEventTypes } from "../../core/turn/universal-event.ts";
import type { Store } from "../store.ts";
import { copyStore } from "./copy-store.ts";
import { schemaVersion } from "./migrate.ts";
import { backupStore, checkStoreFile, restoreStore } from "./store-files.ts";

const lane = { kind: "lane", lane: "lane" } as const;
let file: StoreFile;
let backup: string;
beforeEach(() => {
  file = new StoreFile();
  backup = file.in("backup.db");
});
afterEach(() => file.dispose());

const ids = async (store: Store) => (await store.mailOf(lane, 100)).map((one) => one.id).toReversed();

/** A backup that contains `m1`, and a store that has since received `m2`. */
async function backedUp(): Promise<void> {
  await file.write("m1");
  await backupStore(file.path, backup);
  const store = file.open();
  await admit(store, { id: "m2" });
  await store.close();
}

describe("after a restore", () => {
  it("the store is as it was at the time of the backup, and the newer one is kept next to it", async () => {
    await backedUp();
    const { keptAs } = await restoreStore(file.path, backup, start);
    expect(keptAs).toBe(`${file.path}.before-restore-2026-01-01T00-00-00-000Z`);
    expect(await ids(file.open())).toEqual(["m1"]);
    expect(await ids(file.open(keptAs ?? ""))).toEqual(["m1", "m2"]);
    expect(existsSync(backup)).toBe(true);
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    expect(file.names().filter((name) => name.includes("restoring"))).toEqual([]);
  });

  it("the kept store can be restored in turn, and the backup can be used again", async () => {
    await backedUp();
    const { keptAs } = await restoreStore(file.path, backup, start);
    await restoreStore(file.path, keptAs ?? "", start + 1);
    const store = file.open();
    expect(await ids(store)).toEqual(["m1", "m2"]);
    await store.close();
    await restoreStore(file.path, backup, start + 2);
    expect(await ids(file.open())).toEqual(["m1"]);
  });

  it("a store exists where there was none", async () => {
    await backedUp();
    const path = join(file.directory, "elsewhere", "waybill.db");
    expect(await restoreStore(path, backup)).toEqual({ keptAs: null, toBeRebuilt: 1 });
    expect(await ids(file.open(path))).toEqual(["m1"]);
  });

  it("unsent messages have no record, so that the next start checks whether they were sent since", async () => {
    const before = file.open();
    await before.putLane(aLane());
    const answered = await admit(before, { id: "answered" });
    await move(before, answered, submit(answered), proven());
    const rejected = await admit(before, { id: "rejected" });
    await move(before, rejected, failedForGood());
    const retried = await admit(before, { id: "retried" });
    await move(before, retried, submit(retried), failedForGood(), retriedByPerson());
    const open = await admit(before, { id: "open" });
    const { record: outstanding } = await move(before, open, submit(open), accepted());
    await admit(before, { id: "waiting-1" });
    await admit(before, { id: "waiting-2" });
    await copyStore(file.path, backup);
    await before.close();

    expect(await restoreStore(file.path, backup)).toMatchObject({ toBeRebuilt: 2 });
    const store = file.open();
    expect((await store.unrecorded()).map((one) => one.id)).toEqual(["waiting-1", "waiting-2"]);
    expect(await store.outstanding("lane")).toEqual(outstanding);
    expect(await store.deliveryOf("lane", "answered")).toMatchObject({ status: "responded" });
    expect(await store.deliveryOf("lane", "rejected")).toMatchObject({ status: "failed_terminal" });
    expect(await store.head("lane")).toMatchObject({ messageId: "retried" });
    expect(await store.check()).toEqual([]);
  });
});

describe("a log reader from before a restore", () => {
  it("gets a reset, however much has happened since", async () => {
    await backedUp();
    const before = file.open();
    const cursor = before.logEnd();
    await before.close();
    await restoreStore(file.path, backup);
    const store = file.open();
    for (const id of ["m3", "m4", "m5"]) await admit(store, { id });
    const { reset, items } = await store.readLog({ after: cursor, limit: 100 });
    expect(reset).toMatchObject({ type: "reset" });
    expect(items.flatMap((item) => (item.type === "message" ? [item.message.id] : []))).toEqual(["m3", "m4", "m5"]);
  });

  it("gets the reset immediately, and continues from there without another", async () => {
    await backedUp();
    const before = file.open();
    const cursor = before.logEnd();
    await before.close();
    await restoreStore(file.path, backup);
    const store = file.open();
    const first = await store.readLog({ after: cursor, limit: 100 });
    expect(first).toMatchObject({ reset: { type: "reset" }, items: [] });
    const again = await store.readLog({ after: first.cursor, limit: 100 });
    expect(again).toEqual({ reset: null, items: [], cursor: first.cursor });
    expect(store.logEnd()).toBe(first.cursor);
  });
});

it("an event reader from before a restore gets one reset, and numbers continue from the backup", async () => {
  let store = file.open();
  await store.appendEvents(someEvents(1, 2), 100);
  await store.close();
  await backupStore(file.path, backup);
  store = file.open();
  await store.appendEvents([...someEvents(3, 3), ...someEvents(1, 1, "other")], 100);
  const seen = store.logEnd();
  await store.close();
  await restoreStore(file.path, backup);
  store = file.open();
  await store.appendEvents(someEvents(3, 4), 100);
  for (const lane of ["lane", "other", undefined]) {
    const page = await store.readLog({ after: seen, lane, types: universalEventTypes, limit: 10 });
    expect(page.reset).not.toBeNull();
    const ids = page.items.map((item) => item.type === "event" && item.event.id);
    expect(ids).toEqual(lane === "other" ? [] : ["lane-3", "lane-4"]);
    const further = await store.readLog({ after: page.cursor, lane, limit: 10 });
    expect(further).toMatchObject({ reset: null, items: [] });
  }
});

describe("the previous store is kept", () => {
  it("with everything that a killed process left in its log", async () => {
    await backedUp();
    const { process: daemon } = await file.holder();
    await daemon.kill();
    const { keptAs } = await restoreStore(file.path, backup);
    expect(await ids(file.open())).toEqual(["m1"]);
    expect(await ids(file.open(keptAs ?? ""))).toEqual(["m1", "m2", heldMessage]);
  });

  it("byte for byte if it is damaged, including its log", async () => {
    await backedUp();
    const { process: daemon } = await file.holder();
    await daemon.kill();
    file.damageTable("lane_session");
    const before = file.bytes();
    const { keptAs } = await restoreStore(file.path, backup);
    const kept = (suffix: string) => readFileSync(`${keptAs}${suffix}`).toString("base64");
    expect({ "waybill.db": kept(""), "waybill.db-wal": kept("-wal") }).toEqual(before);
    expect(checkStoreFile(keptAs ?? "")).not.toEqual([]);
    expect(await ids(file.open())).toEqual(["m1"]);
  });

  it("even if it was never a store", async () => {
    await backedUp();
    writeFileSync(file.path, "precious");
    const { keptAs } = await restoreStore(file.path, backup);
    expect(readFileSync(keptAs ?? "", "utf8")).toBe("precious");
    expect(await ids(file.open())).toEqual(["m1"]);
  });
});

describe("a restore is refused, and the store is left as it is,", () => {
  async function expectRefused(error: object): Promise<void> {
    const before = file.bytes();
    await expect(restoreStore(file.path, backup)).rejects.toMatchObject(error);
    expect(file.bytes()).toEqual(before);
    expect(file.names().filter((name) => /before-restore|restoring/.test(name))).toEqual([]);
  }

  it("while another process has the store open, with that process in the error", async () => {
    await backedUp();
    const { process: daemon } = await file.holder();
    await expectRefused({ code: "store_locked", message: expect.stringContaining(`process ${daemon.pid}.`) });
  });

  it("when the backup is damaged", async () => {
    await backedUp();
    writeFileSync(backup, readFileSync(backup).fill(0xff, 8192));
    await expectRefused({ code: "backup_unusable", message: expect.stringContaining(backup) });
  });

  it("when the backup is empty, not a database, or not a store", async () => {
    await backedUp();
    for (const content of ["", "Dear diary.\n".repeat(1000)]) {
      writeFileSync(backup, content);
      await expectRefused({ code: "backup_unusable" });
    }
    for (const version of [1, schemaVersion]) {
      backup = file.in(`recipes-${version}.db`);
      file.change(`PRAGMA user_version = ${version}; CREATE TABLE recipe (name TEXT)`, backup);
      await expectRefused({ code: "backup_unusable" });
    }
  });

  it("when the records in the backup contradict their audit", async () => {
    await backedUp();
    file.forgeRecords("member", "somebody", backup);
    await expectRefused({ code: "backup_unusable", message: expect.stringContaining("audit") });
  });

  it("when the backup was made by a newer Waybill", async () => {
    await backedUp();
    file.change("PRAGMA user_version = 99", backup);
    await expectRefused({ code: "backup_unusable", message: expect.stringContaining("version 99") });
  });

  it("when there is no such backup", async () => {
    await file.write("m1");
    await expectRefused({ code: "store_unavailable", message: expect.stringContaining(backup) });
  });

  it("and the next start checks the store as thoroughly as before", async () => {
    await backedUp();
    const { process: daemon } = await file.holder();
    await daemon.kill();
    file.damageTable("lane_session");
    writeFileSync(backup, "");
    await expect(restoreStore(file.path, backup)).rejects.toMatchObject({ code: "backup_unusable" });
    expect(file.refusal()).toMatchObject({ code: "store_corrupt" });
  });
});
