/** An unusable store is refused with a readable error, and its file stays byte for byte the same. */
import { mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreFile } from "../../../test/support/store/store-file.ts";
import { schemaVersion } from "./migrate.ts";
import { openSqliteStore } from "./sqlite-store.ts";

let file: StoreFile;
beforeEach(() => {
  file = new StoreFile();
});
afterEach(() => file.dispose());

/** Expects the refusal twice: the first one must not hide the problem from the second. */
function expectRefused(code: string): void {
  const before = file.bytes();
  expect(file.refusal()).toMatchObject({ code });
  expect(file.refusal()).toMatchObject({ code });
  expect(file.bytes()).toEqual(before);
}

describe("a store is refused", () => {
  it("when a newer Waybill wrote it, with both versions in the error", async () => {
    await file.write("m1");
    file.change("PRAGMA user_version = 99");
    expectRefused("store_newer");
    expect(String(file.refusal())).toContain(`has version 99; this program knows versions up to ${schemaVersion}`);
  });

  it("when the file is not a database", () => {
    writeFileSync(file.path, "Dear diary, today I was mistaken for a database.\n".repeat(100));
    expectRefused("store_corrupt");
  });

  it("when the beginning of the file is damaged", async () => {
    await file.write("m1");
    file.damage(0, 100);
    expectRefused("store_corrupt");
  });

  it("when the tables cannot be parsed", async () => {
    await file.write("m1");
    file.damage(100, 3996);
    expectRefused("store_corrupt");
  });

  it("when the file was truncated", async () => {
    await file.write("m1");
    truncateSync(file.path, statSync(file.path).size / 2);
    expectRefused("store_corrupt");
  });

  it("when its path leads through a regular file", () => {
    writeFileSync(file.in("plain"), "");
    expect(() => openSqliteStore({ path: file.in("plain/waybill.db") })).toThrow(
      expect.objectContaining({ code: "store_unavailable", hint: expect.stringContaining("directory") }),
    );
  });

  it("when its path is a directory", () => {
    mkdirSync(file.path);
    expect(file.refusal()).toMatchObject({ code: "store_unavailable" });
    expect(file.refusal()).toMatchObject({ code: "store_unavailable" });
  });
});

describe("after a process died with the store open", () => {
  it("damage that a normal start would miss is found, and found again at the next start", async () => {
    await file.write("m1");
    const { process: other } = await file.holder();
    await other.kill();
    file.damageTable("lane_session");
    expect(Object.keys(file.bytes())).toEqual(["waybill.db", "waybill.db-wal"]);
    expectRefused("store_corrupt");
  });
});

describe("after a clean stop", () => {
  it("damage in a table that a start does not read is found", async () => {
    await file.write("m1");
    file.damageTable("lane_session");
    expectRefused("store_corrupt");
  });

  it("a damaged page is found wherever it is", async () => {
    await file.write(...Array.from({ length: 20 }, (_, index) => `m${index}`));
    // An unused page may contain anything.
    file.change("VACUUM");
    const sound = readFileSync(file.path);
    const pageSize = 4096;
    const places = Array.from({ length: sound.length / pageSize }, (_, page) => page * pageSize);
    const codes = places.map((place) => {
      writeFileSync(file.path, Buffer.from(sound).fill(0xff, place, place + pageSize));
      return (file.refusal() as { code?: string }).code;
    });
    expect(codes).toEqual(places.map(() => "store_corrupt"));
  });

  it("a record that differs from its audit is found while its delivery is open", async () => {
    await file.write("m1", "m2");
    file.forgeRecords("lastReason", "made up");
    file.change("UPDATE delivery SET record = NULL WHERE rowid = 1");
    expectRefused("store_corrupt");
    expect(String(file.refusal())).toMatch(/delivery [0-9a-f]{64} differs from its audit/);
  });

  it("an open delivery whose columns differ from its audit is found", async () => {
    await file.write("m1", "m2");
    file.change("UPDATE delivery SET status = 'accepted', outstanding = 1, next_reconcile_at = 1 WHERE rowid = 2");
    expectRefused("store_corrupt");
    expect(String(file.refusal())).toMatch(/delivery [0-9a-f]{64} differs from its columns/);
  });

  it("a record that cannot be read is found", async () => {
    await file.write("m1");
    file.change("UPDATE log SET body = '{' WHERE delivery_seq IS NOT NULL");
    expectRefused("store_corrupt");
    expect(String(file.refusal())).toContain("cannot be read");
  });
});

describe("only the owner", () => {
  const mode = (name: string) => (statSync(file.in(name)).mode & 0o777).toString(8);

  it("may read the store, its log or its lock, even under a careless umask", () => {
    const before = process.umask(0);
    try {
      file.open(file.in("home/waybill.db"));
    } finally {
      process.umask(before);
    }
    expect(mode("home")).toBe("700");
    for (const suffix of ["", "-wal", "-shm", ".lock"]) expect(mode(`home/waybill.db${suffix}`)).toBe("600");
  });
});
