/** One process at a time has a store open, and the lock ends with its process. */
import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { heldMessage, StoreFile } from "../../../../test/support/store/store-file.ts";
import { lockStore, storeHolder } from "./lock.ts";

let file: StoreFile;
beforeEach(() => {
  file = new StoreFile();
});
afterEach(() => file.dispose());

const inUseBy = (pid: number) => ({ code: "store_locked", message: expect.stringContaining(`process ${pid}.`) });

describe("a store that is open", () => {
  it("is refused to a second opener in the same process, with the process that has it", () => {
    file.open();
    expect(file.refusal()).toMatchObject(inUseBy(process.pid));
  });

  it("is refused to another process, with the process that has it", async () => {
    file.open();
    const { said } = await file.holder();
    expect(said).toMatchObject({ holds: false, ...inUseBy(process.pid) });
  });

  it("is refused here when another process has it", async () => {
    const { process: other, said } = await file.holder();
    expect(said).toEqual({ holds: true });
    expect(file.refusal()).toMatchObject(inUseBy(other.pid));
  });

  // Closing any descriptor of a file drops the locks that the process has on it.
  it("is still refused to other processes after a second attempt in the same process", async () => {
    file.open();
    file.refusal();
    expect((await file.holder()).said).toMatchObject({ holds: false, code: "store_locked" });
  });

  it("goes to exactly one of several processes that open it at the same time", async () => {
    const all = await Promise.all([file.holder(), file.holder(), file.holder()]);
    const [winner, ...more] = all.filter((one) => one.said.holds);
    expect(more).toEqual([]);
    expect(file.refusal()).toMatchObject(inUseBy(winner?.process.pid ?? -1));
  });
});

describe("a store that was open", () => {
  it("opens immediately after its process was killed, with everything that was admitted", async () => {
    const { process: other } = await file.holder();
    await other.kill();
    const store = file.open();
    expect(await store.message({ kind: "lane", lane: "lane" }, heldMessage)).toMatchObject({ id: heldMessage });
    expect(await store.check()).toEqual([]);
  });

  it("opens when its process has closed it", async () => {
    const { process: other } = await file.holder();
    await other.finish();
    expect(await file.open().lane("lane")).not.toBeNull();
  });

  it("is marked as left open after a kill, but not after a close", async () => {
    const killed = await file.holder();
    await killed.process.kill();
    const lock = lockStore(file.path, 0);
    expect(lock.leftOpen).toBe(true);
    lock.release();
    const closed = await file.holder();
    await closed.process.finish();
    const after = lockStore(file.path, 0);
    expect(after.leftOpen).toBe(false);
    after.release();
  });
});

describe("the lock", () => {
  it("that is abandoned leaves the next holder as suspicious as this one was", async () => {
    lockStore(file.path, 0).abandon();
    const clean = lockStore(file.path, 0);
    expect(clean.leftOpen).toBe(false);
    clean.release();
    const { process: other } = await file.holder();
    await other.kill();
    lockStore(file.path, 0).abandon();
    const still = lockStore(file.path, 0);
    expect(still.leftOpen).toBe(true);
    still.release();
  });

  it("with a damaged file is refused, with a hint that the file can be deleted", () => {
    writeFileSync(
      `${file.path}.lock`,
      "this is not a database, and it is long enough to be looked at as one".repeat(20),
    );
    expect(file.refusal()).toMatchObject({
      code: "store_unavailable",
      message: expect.stringContaining(`${file.path}.lock is damaged`),
      hint: expect.stringContaining("delete the lock file"),
    });
  });
});

describe("asking for the holder of the lock", () => {
  it("returns the process that has the store open, this one or another, and leaves it locked", async () => {
    const { process: other } = await file.holder();
    expect(storeHolder(file.path)).toEqual({ pid: other.pid });
    expect(file.refusal()).toMatchObject(inUseBy(other.pid));
    await other.finish();
    file.open();
    expect(storeHolder(file.path)).toEqual({ pid: process.pid });
    expect((await file.holder()).said).toMatchObject({ holds: false, ...inUseBy(process.pid) });
  });

  it("returns null when the store was never open, was closed, or was left by a kill", async () => {
    expect(storeHolder(file.path)).toBeNull();
    expect(file.names()).toEqual([]);
    const closed = await file.holder();
    await closed.process.finish();
    expect(storeHolder(file.path)).toBeNull();
    const killed = await file.holder();
    await killed.process.kill();
    expect(storeHolder(file.path)).toBeNull();
    const lock = lockStore(file.path, 0);
    expect(lock.leftOpen).toBe(true);
    lock.release();
  });
});
