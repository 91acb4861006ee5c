/** A store is locked by its real file, whatever name it is opened by, and is refused before anything opens it. */
import { linkSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreFile } from "../../../../test/support/store/store-file.ts";
import { backupStore, inspectStore, restoreStore } from "../store-files.ts";
import { refuseNetworkFilesystem } from "./file-access.ts";
import { storeHolder } from "./lock.ts";

let file: StoreFile;
beforeEach(async () => {
  file = new StoreFile();
  await file.write("m1");
});
afterEach(() => file.dispose());

describe("a store behind a symbolic link", () => {
  it("is locked under every other name", async () => {
    symlinkSync(file.path, file.in("link.db"));
    mkdirSync(file.in("other"));
    symlinkSync("../link.db", file.in("other/link.db"));
    const store = file.open(file.in("other/link.db"));
    for (const path of [file.path, file.in("link.db")]) {
      expect(() => file.open(path)).toThrow(expect.objectContaining({ code: "store_locked" }));
      expect(storeHolder(path)).toEqual({ pid: process.pid });
    }
    expect(file.names()).toContain("waybill.db-wal");
    await store.close();
  });

  it("is refused when the link is broken", () => {
    symlinkSync(file.in("nothing.db"), file.in("link.db"));
    expect(() => file.open(file.in("link.db"))).toThrow(
      expect.objectContaining({ code: "store_unavailable", message: expect.stringContaining("does not resolve") }),
    );
    expect(file.names()).not.toContain("nothing.db.lock");
  });

  it("is restored in place, and the link stays", async () => {
    symlinkSync(file.path, file.in("link.db"));
    await backupStore(file.path, file.in("backup.db"));
    await restoreStore(file.in("link.db"), file.in("backup.db"));
    rmSync(file.in("link.db"));
    expect(await file.open().message({ kind: "lane", lane: "lane" }, "m1")).toMatchObject({ id: "m1" });
  });
});

describe("a store with a second name", () => {
  it("is refused under either name, even by the doctor, until the other name is removed", async () => {
    linkSync(file.path, file.in("second.db"));
    const before = file.bytes();
    for (const path of [file.path, file.in("second.db")]) {
      expect(() => file.open(path)).toThrow(expect.objectContaining({ code: "store_hard_linked" }));
      expect(inspectStore(path)).toMatchObject({ state: "error", error: { code: "store_hard_linked" } });
    }
    expect(file.bytes()).toEqual(before);
    expect(file.names().filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
    rmSync(file.in("second.db"));
    expect(await file.open().lane("lane")).not.toBeNull();
  });

  it("that it got while it was open cannot be opened by that name", () => {
    file.open();
    linkSync(file.path, file.in("second.db"));
    expect(() => file.open(file.in("second.db"))).toThrow(expect.objectContaining({ code: "store_hard_linked" }));
  });
});

it("a store on a network filesystem is refused by the filesystem's name", () => {
  expect(() => refuseNetworkFilesystem("/mnt/share/waybill.db", () => "NFS")).toThrow(
    expect.objectContaining({ code: "store_on_network", message: expect.stringContaining("(NFS)") }),
  );
  expect(() => refuseNetworkFilesystem("/home/waybill.db", () => null)).not.toThrow();
});
