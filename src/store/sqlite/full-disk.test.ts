/**
 * A disk that is really full: everything promised stays, nothing else appears, and writing resumes once there is room.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OtherProcess } from "../../../test/support/files/other-process.ts";
import type { FullDiskRun } from "../../../test/support/store/full-disk-writer.ts";

const writer = fileURLToPath(new URL("../../../test/support/store/full-disk-writer.ts", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "waybill-disk-"));
// A private mount: no other process sees it, and it ends with the process.
const onSmallDisk = [
  ...["unshare", "--map-root-user", "--mount", "sh", "-c"],
  'mount -t tmpfs -o size=4m tmpfs "$0" && exec "$@"',
  directory,
];
const [command = "", ...args] = onSmallDisk;
const canMount = spawnSync(command, [...args, "true"]).status === 0;

// Where mounting is not allowed, as on a Mac, the tests are skipped; CI must run them.
describe.skipIf(!canMount && !process.env.CI)("a full disk", () => {
  let run: FullDiskRun;
  beforeAll(async () => {
    const process = await OtherProcess.start(writer, [directory], onSmallDisk);
    run = await process.hear<FullDiskRun>();
    await process.finish();
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it("refuses writes as retryable, and keeps the store readable", () => {
    expect(run.refusals).toEqual(["store_unwritable", "store_unwritable"]);
    expect(run).toMatchObject({ retryable: true, readable: true });
  });

  it("loses nothing that was promised, and keeps nothing that was not", () => {
    expect(run.found).toEqual(run.promised);
    expect(run.promised.slice(0, 5)).toEqual(["before0", "before1", "before2", "before3", "before4"]);
    expect(run.findings).toBe(0);
  });

  it("has no effect once there is room again, without a restart", () => {
    expect(run.promised.slice(-5)).toEqual(["after0", "after1", "after2", "after3", "after4"]);
  });

  it("leaves no partial backup", () => {
    expect(run.backup).toEqual({ refusal: "backup_failed", left: false });
  });

  it("stops a start with the same error", () => {
    expect(run.startWithoutRoom).toBe("store_unwritable");
  });
});
