/** A store whose file was removed, is damaged or has no room reports it, and its content is saved. */
import { copyFileSync, existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { admit, tryToAdmit } from "../../../../test/support/core/deliveries.ts";
import { aLane } from "../../../../test/support/daemon/waybill.ts";
import { StoreFile } from "../../../../test/support/store/store-file.ts";
import type { HealthEvent } from "../../administration.ts";
import type { Store } from "../../store.ts";
import { openSqliteStore } from "../sqlite-store.ts";
import { checkStoreFile, restoreStore } from "../store-files.ts";
import { StoreHealth } from "./store-health.ts";

let file: StoreFile;
let events: HealthEvent[];
let heard: () => void;
let closed: boolean;
let store: Store;

beforeEach(async () => {
  file = new StoreFile();
  events = [];
  heard = () => {};
  await open(file.path);
  await store.putLane(aLane());
  await admit(store, { id: "m1" });
});
afterEach(async () => {
  await close();
  await file.dispose();
});

async function open(path: string): Promise<void> {
  const health = new StoreHealth((event) => {
    events.push(event);
    heard();
  });
  store = openSqliteStore({ path, health });
  closed = false;
}

async function close(): Promise<void> {
  if (!closed) await store.close();
  closed = true;
}

/** Waits until the watch has noticed and the copy exists. */
async function rescued(): Promise<string> {
  for (;;) {
    const found = events.find((event) => event.type === "rescued");
    if (found) return found.to;
    await new Promise<void>((resolve) => {
      heard = resolve;
    });
  }
}

async function messagesIn(path: string): Promise<string[]> {
  const other = openSqliteStore({ path });
  try {
    return (await other.deliveries({ limit: 100 })).items.map((record) => record.messageId).toSorted();
  } finally {
    await other.close();
  }
}

const replaced = { code: "store_replaced" };

describe("files that are removed from an open store", () => {
  const names = ["waybill.db", "waybill.db-wal", "waybill.db-shm"];
  it.each(names)("%s: all further writes are refused, and the store's content is saved next to it", async (name) => {
    rmSync(file.in(name));
    const copy = await rescued();
    expect(events[0]).toMatchObject({ type: "distrusted", problem: { message: expect.stringContaining(name) } });
    await expect(tryToAdmit(store, { id: "m2" })).rejects.toMatchObject(replaced);
    await expect(store.probe(0)).rejects.toMatchObject(replaced);
    expect(events.filter(({ type }) => type === "distrusted")).toHaveLength(1);
    expect(checkStoreFile(copy)).toEqual([]);
    expect(await messagesIn(copy)).toEqual(["m1"]);
  });

  it("are noticed by the next commit and the next probe, even without the watch", async () => {
    const asked = tryToAdmit(store, { id: "m2" });
    await asked;
    rmSync(file.path);
    // The event loop has not turned since, so the watch cannot have fired yet.
    await expect(store.probe(0)).rejects.toMatchObject(replaced);
    expect(await messagesIn(await rescued())).toEqual(["m1", "m2"]);
  });

  it("with their directory: the copy is created where they were", async () => {
    rmSync(file.directory, { recursive: true });
    await expect(store.probe(0)).rejects.toMatchObject(replaced);
    expect(await messagesIn(await rescued())).toEqual(["m1"]);
  });

  it("make the next start refuse an empty store, until the copy is restored", async () => {
    rmSync(file.path);
    const copy = await rescued();
    await close();
    expect(file.refusal()).toMatchObject({ ...replaced, hint: expect.stringContaining(copy) });
    expect(existsSync(file.path)).toBe(false);
    await restoreStore(file.path, copy);
    expect((await file.open().messages({ limit: 10 })).items).toMatchObject([{ id: "m1" }]);
  });

  it("only the log: a clean stop completes the store", async () => {
    rmSync(file.in("waybill.db-wal"));
    await rescued();
    await close();
    expect(await messagesIn(file.path)).toEqual(["m1"]);
  });
});

describe("another file in place of an open store", () => {
  it("is noticed, and our log is not left next to it", async () => {
    const other = new StoreFile();
    onTestFinished(() => other.dispose());
    await other.write("other");
    copyFileSync(other.path, file.in("new"));
    renameSync(file.in("new"), file.path);
    expect(await messagesIn(await rescued())).toEqual(["m1"]);
    await close();
    expect(file.names()).not.toContain("waybill.db-wal");
    expect(await messagesIn(file.path)).toEqual(["other"]);
  });

  it("is noticed behind a symbolic link that now points elsewhere", async () => {
    await close();
    symlinkSync(file.path, file.in("link.db"));
    await open(file.in("link.db"));
    rmSync(file.in("link.db"));
    writeFileSync(file.in("elsewhere.db"), "");
    symlinkSync(file.in("elsewhere.db"), file.in("link.db"));
    await expect(store.probe(0)).rejects.toMatchObject(replaced);
    expect(await messagesIn(await rescued())).toEqual(["m1"]);
  });
});

describe("damage found while the store is open", () => {
  const corrupt = { code: "store_corrupt", hint: expect.stringContaining("waybill store restore") };

  it.each([
    ["a read", () => store.usageOf("lane", "2026-01-01")],
    ["a write", () => store.liftLimits("lane", "2026-01-01")],
  ])("by %s is reported as such, and all further writes are refused", async (_, meet) => {
    await close();
    await open(file.path);
    for (const table of ["usage", "lifted_limit"]) file.damageTable(table);
    await expect(meet()).rejects.toMatchObject(corrupt);
    await expect(store.probe(0)).rejects.toMatchObject(corrupt);
    await expect(tryToAdmit(store, { id: "m2" })).rejects.toMatchObject(corrupt);
    expect(events).toMatchObject([{ type: "distrusted", problem: { code: "store_corrupt" } }]);
  });
});
