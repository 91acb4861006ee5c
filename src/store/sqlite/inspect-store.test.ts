import { renameSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StoreFile } from "../../../test/support/store/store-file.ts";
import { schemaVersion } from "./migrate.ts";
import { inspectStore } from "./store-files.ts";

let file: StoreFile;
beforeEach(() => {
  file = new StoreFile();
});
afterEach(() => file.dispose());

test("a missing store is absent, and inspecting does not create it", () => {
  expect(inspectStore(file.path)).toEqual({ state: "absent" });
  expect(file.names()).toEqual([]);
});

test("a store that is not in use is sound, with its version and its latest time", async () => {
  await file.write("first");
  const before = file.bytes();
  expect(inspectStore(file.path)).toEqual({
    state: "sound",
    version: schemaVersion,
    heldBy: null,
    newestAt: expect.any(Number),
  });
  expect(file.bytes()).toEqual(before);
});

test("the latest time is the time of the last message or delivery change", async () => {
  await file.write("first");
  file.change(`UPDATE message SET created_at = 5;
    UPDATE delivery SET updated_at = 7;
    UPDATE log SET body = json_set(body, '$.record.updatedAt', 7)`);
  expect(inspectStore(file.path)).toMatchObject({ newestAt: 7 });
  file.change("UPDATE message SET created_at = 9");
  expect(inspectStore(file.path)).toMatchObject({ newestAt: 9 });
});

test("a store in use is reported with its process, and stays in use", async () => {
  const store = file.open();
  expect(inspectStore(file.path)).toMatchObject({ state: "sound", heldBy: { pid: process.pid } });
  expect(file.refusal()).toMatchObject({ code: "store_locked" });
  await store.close();
  expect(inspectStore(file.path)).toMatchObject({ state: "sound", heldBy: null, newestAt: null });
});

test("damage, another kind of file and a newer version are errors", async () => {
  await file.write("first");
  file.change("PRAGMA user_version = 99");
  expect(inspectStore(file.path)).toMatchObject({ state: "error", error: { code: "store_newer" } });
  file.change(`PRAGMA user_version = ${schemaVersion}`);
  file.damageTable("message");
  expect(inspectStore(file.path)).toMatchObject({ state: "error", error: { code: "store_corrupt" } });
  writeFileSync(file.path, "this is no database at all".repeat(100));
  expect(inspectStore(file.path)).toMatchObject({ state: "error", error: { code: "store_corrupt" } });
});

test("an empty file, as an interrupted start leaves it, is not damage", () => {
  writeFileSync(file.path, "");
  expect(inspectStore(file.path)).toMatchObject({ state: "sound", version: 0 });
});

test("an open delivery that differs from its audit is damage", async () => {
  await file.write("first");
  file.forgeRecords("lastReason", "made up");
  expect(inspectStore(file.path)).toMatchObject({ state: "error", error: { code: "store_corrupt" } });
});

test("a store that was removed while in use is not absent: the error names its copy", async () => {
  await file.write("first");
  renameSync(file.path, `${file.path}.rescued-2026-01-01T00-00-00-000Z`);
  const error = { code: "store_replaced", hint: expect.stringContaining("waybill.db.rescued-2026") };
  expect(inspectStore(file.path)).toMatchObject({ state: "error", error });
});
