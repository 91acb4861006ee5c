/**
 * A process that fills the small disk given as its argument, writes to a store there until a write fails, frees space,
 * continues, and reports how each step went.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../src/platform/app-error.ts";
import { copyStore } from "../../../src/store/sqlite/copy-store.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { admit } from "../core/deliveries.ts";
import { aLane } from "../daemon/waybill.ts";

export type FullDiskRun = {
  /** The result of the first write that found no space, and of one right after it. */
  refusals: (string | null)[];
  retryable: boolean;
  /** Whether the store could still be read. */
  readable: boolean;
  /** The result of a backup to that disk, and whether it left anything behind. */
  backup: { refusal: string | null; left: boolean };
  /** Ids with a confirmed admission, before and after space was freed. */
  promised: string[];
  /** Ids that the next start finds, and problems of the store at that time. */
  found: string[];
  findings: number;
  /** The result of a start on a full disk. */
  startWithoutRoom: string | null;
};

const [, , disk = ""] = process.argv;
const ballast = join(disk, "ballast");
const path = join(disk, "waybill.db");

function fillUp(): void {
  try {
    while (true) writeFileSync(ballast, Buffer.alloc(1024 * 1024), { flag: "a" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}

async function refusalOf(work: () => unknown): Promise<AppError | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

async function write(store: Store, ids: readonly string[], promised: string[]): Promise<void> {
  for (const id of ids) {
    await admit(store, { id, text: "x".repeat(20_000) });
    promised.push(id);
  }
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

const promised: string[] = [];
const store = openSqliteStore({ path });
await store.putLane(aLane());
await write(store, names("before", 5), promised);
fillUp();
const first = await refusalOf(() => write(store, names("full", 200), promised));
const second = await refusalOf(() => write(store, ["still-full"], promised));
const backup = await refusalOf(() => copyStore(path, join(disk, "backup.db")));
const readable = (await store.deliveryOf("lane", "before0")) !== null;
rmSync(ballast);
await write(store, names("after", 5), promised);
await store.close();

fillUp();
const start = await refusalOf(() => openSqliteStore({ path }).close());
rmSync(ballast);
const again = openSqliteStore({ path });
const found = (await again.deliveries({ limit: 1000 })).items.map((record) => record.messageId).toReversed();
const run: FullDiskRun = {
  refusals: [first?.code ?? null, second?.code ?? null],
  retryable: first?.retryable ?? false,
  readable,
  backup: { refusal: backup?.code ?? null, left: existsSync(join(disk, "backup.db")) },
  promised,
  found,
  findings: (await again.check()).length,
  startWithoutRoom: start?.code ?? null,
};
process.stdout.write(`${JSON.stringify(run)}\n`);
await again.close();
