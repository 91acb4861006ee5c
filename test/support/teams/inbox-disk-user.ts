/**
 * A process that writes to an inbox on the small disk given as its argument until that is full, frees space, continues,
 * remounts the disk read-only, and reports how each step went.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Appended, InboxRead } from "../../../src/transports/inbox-files/file/inbox-file.ts";
import { InboxFile } from "../../../src/transports/inbox-files/file/inbox-file.ts";
import { aRow } from "./inbox-directory.ts";

export type InboxDiskRun = {
  appended: Record<"before" | "full" | "after" | "readOnly", Appended>;
  /** The rows and files that exist when the disk is full. */
  whenFull: { rows: unknown; names: string[] };
  rows: unknown;
  read: InboxRead;
};

const [, , disk = ""] = process.argv;
const path = join(disk, "builder.json");
const ballast = join(disk, "ballast");
const rows = () => JSON.parse(readFileSync(path, "utf8"));
const inbox = new InboxFile(path);

const before = await inbox.append(aRow("before", { text: "x".repeat(100_000) }));
try {
  while (true) writeFileSync(ballast, Buffer.alloc(64 * 1024), { flag: "a" });
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
}
const full = await inbox.append(aRow("full"));
const whenFull = { rows: rows(), names: readdirSync(disk).toSorted() };
rmSync(ballast);
const after = await inbox.append(aRow("after"));
spawnSync("mount", ["-o", "remount,ro", disk]);
const readOnly = await inbox.append(aRow("readOnly"));
const run: InboxDiskRun = {
  appended: { before, full, after, readOnly },
  whenFull,
  rows: rows(),
  read: await inbox.read(),
};
process.stdout.write(`${JSON.stringify(run)}\n`);
