/** Backing up and checking a store's file, with and without a daemon that has it open. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { admit } from "../../../test/support/core/deliveries.ts";
import { aLane } from "../../../test/support/daemon/waybill.ts";
import { heldMessage, StoreFile } from "../../../test/support/store/store-file.ts";
import { copyStore } from "./copy-store.ts";
import { schemaVersion } from "./migrate.ts";
import { backupStore, checkStoreFile } from "./store-files.ts";

let file: StoreFile;
let backup: string;
beforeEach(() => {
  file = new StoreFile();
  backup = file.in("backup.db");
});
afterEach(() => file.dispose());

/** The messages in a store's file, oldest first. */
async function messagesIn(path: string): Promise<string[]> {
  const store = file.open(path);
  const mail = await store.mailOf({ kind: "lane", lane: "lane" }, 10_000);
  await store.close();
  return mail.map((one) => one.id).toReversed();
}

describe("a backup", () => {
  it("has everything that the store had, in one private file", async () => {
    await file.write("m1", "m2");
    await backupStore(file.path, backup);
    expect(file.names().filter((name) => name.startsWith("backup"))).toEqual(["backup.db"]);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    expect(checkStoreFile(backup)).toEqual([]);
    expect(await messagesIn(backup)).toEqual(["m1", "m2"]);
  });

  it("is made while another process has the store open, with what it has just written", async () => {
    const { process: daemon } = await file.holder();
    await backupStore(file.path, backup);
    await daemon.finish();
    expect(await messagesIn(backup)).toEqual([heldMessage]);
  });

  it("is a consistent snapshot of a store that is being written", async () => {
    const store = file.open();
    await store.putLane(aLane());
    for (let n = 0; n < 300; n++) await admit(store, { id: `m${n}`, text: "x".repeat(10_000) });
    let copying = true;
    const made = backupStore(file.path, backup).finally(() => {
      copying = false;
    });
    let written = 300;
    for (; copying; written++) await admit(store, { id: `m${written}` });
    await made;
    const ids = await messagesIn(backup);
    expect(written).toBeGreaterThan(301);
    expect(ids.length).toBeGreaterThanOrEqual(300);
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, n) => `m${n}`));
  });

  it("never replaces another file", async () => {
    await file.write("m1");
    writeFileSync(backup, "precious");
    await expect(backupStore(file.path, backup)).rejects.toMatchObject({ code: "backup_exists" });
    await expect(backupStore(file.path, file.path)).rejects.toMatchObject({ code: "backup_exists" });
    expect(readFileSync(backup, "utf8")).toBe("precious");
    expect(await messagesIn(file.path)).toEqual(["m1"]);
  });

  it("can be made by the process that has the store open, under the same rules", async () => {
    const store = file.open();
    await store.putLane(aLane());
    await admit(store, { id: "m1" });
    await copyStore(file.path, backup);
    await expect(copyStore(file.path, backup)).rejects.toMatchObject({ code: "backup_exists" });
    await admit(store, { id: "m2" });
    expect(file.refusal()).toMatchObject({ code: "store_locked" });
    await store.close();
    expect([await messagesIn(backup), await messagesIn(file.path)]).toEqual([["m1"], ["m1", "m2"]]);
  });

  it("that cannot be written fails and leaves nothing behind", async () => {
    await file.write("m1");
    writeFileSync(file.in("plain"), "");
    const names = file.names();
    await expect(backupStore(file.path, file.in("plain/backup.db"))).rejects.toMatchObject({ code: "backup_failed" });
    expect(file.names().filter((name) => !/-(wal|shm)$/.test(name))).toEqual(names);
  });

  it("of a damaged store is refused and not left behind", async () => {
    await file.write("m1");
    file.forgeRecords("member", "somebody");
    await expect(backupStore(file.path, backup)).rejects.toMatchObject({ code: "store_corrupt" });
    expect(file.names().some((name) => name.startsWith("backup"))).toBe(false);
  });

  it("of a missing store is refused", async () => {
    await expect(backupStore(file.path, backup)).rejects.toMatchObject({ code: "store_unavailable" });
    expect(file.names()).toEqual([]);
  });
});

describe("a check", () => {
  it("finds nothing wrong with a sound store, even while another process has it open", async () => {
    await file.holder();
    expect(checkStoreFile(file.path)).toEqual([]);
  });

  it("finds damaged pages, and leaves the file as it is", async () => {
    await file.write("m1");
    file.damageTable("log");
    const before = file.bytes();
    expect(checkStoreFile(file.path)).toContainEqual({ subject: "file", problem: expect.any(String) });
    expect(file.bytes()).toEqual(before);
  });

  it("finds a record that differs from its audit", async () => {
    await file.write("m1");
    file.forgeRecords("member", "somebody");
    expect(checkStoreFile(file.path)).toEqual([
      { subject: expect.stringContaining("delivery "), problem: "differs from its audit" },
    ]);
  });

  it("finds a column that differs from its record", async () => {
    await file.write("m1");
    file.change("UPDATE delivery SET updated_at = updated_at + 1");
    expect(checkStoreFile(file.path)).toEqual([
      { subject: expect.stringContaining("delivery "), problem: "differs from its columns" },
    ]);
  });

  it("finds dangling references", async () => {
    await file.write("m1");
    file.change("PRAGMA foreign_keys = OFF; DELETE FROM message");
    expect(checkStoreFile(file.path)).toEqual([{ subject: "delivery", problem: "refers to a missing row of message" }]);
  });

  it("reports a file that is not a store, or one of a newer version", async () => {
    writeFileSync(file.in("empty.db"), "");
    writeFileSync(file.in("diary.db"), "Dear diary.\n".repeat(1000));
    file.change("CREATE TABLE recipe (name TEXT)", file.in("foreign.db"));
    file.change(`PRAGMA user_version = ${schemaVersion}; CREATE TABLE recipe (name TEXT)`, file.in("same-version.db"));
    await file.write();
    file.change("PRAGMA user_version = 99");
    const problem = (name: string) => checkStoreFile(file.in(name)).map((finding) => finding.problem);
    expect(problem("empty.db")).toEqual(["is not a Waybill store"]);
    expect(problem("foreign.db")).toEqual(["is not a Waybill store"]);
    expect(problem("diary.db")).toEqual(["is damaged: file is not a database"]);
    expect(problem("same-version.db")).toEqual([expect.stringContaining("no such table")]);
    expect(problem("waybill.db")).toEqual([expect.stringContaining("has version 99")]);
  });

  it("of a missing file is an error, not a finding", () => {
    expect(() => checkStoreFile(file.path)).toThrow(expect.objectContaining({ code: "store_unavailable" }));
    expect(file.names()).toEqual([]);
  });
});
