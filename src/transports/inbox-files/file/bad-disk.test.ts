/** On a full or read-only disk, an inbox reports a reason, damages nothing and leaves nothing behind. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { OtherProcess } from "../../../../test/support/files/other-process.ts";
import { aRow } from "../../../../test/support/teams/inbox-directory.ts";
import type { InboxDiskRun } from "../../../../test/support/teams/inbox-disk-user.ts";

const user = fileURLToPath(new URL("../../../../test/support/teams/inbox-disk-user.ts", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "waybill-disk-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

// A private mount: no other process sees it, and it ends with the process.
const onSmallDisk = [
  ...["unshare", "--map-root-user", "--mount", "sh", "-c"],
  'mount -t tmpfs -o size=1m tmpfs "$0" && exec "$@"',
  directory,
];
const [command = "", ...args] = onSmallDisk;
const canMount = spawnSync(command, [...args, "true"]).status === 0;

// Where mounting is not allowed, as on a Mac, the test is skipped; CI must run it.
test.skipIf(!canMount && !process.env.CI)("reports a full or read-only disk, and damages nothing", async () => {
  const process = await OtherProcess.start(user, [directory], onSmallDisk);
  const run = await process.hear<InboxDiskRun>();
  await process.finish();
  const unwritable = (reason: string) => ({
    outcome: "failed",
    problem: "unwritable",
    error: expect.stringContaining(reason),
  });
  expect(run.appended).toEqual({
    before: { outcome: "appended", behind: null },
    full: unwritable("ENOSPC"),
    after: { outcome: "appended", behind: "before" },
    readOnly: unwritable("EROFS"),
  });
  const first = aRow("before", { text: "x".repeat(100_000) });
  expect(run.whenFull).toEqual({ rows: [first], names: ["ballast", "builder.json"] });
  expect(run.rows).toEqual([first, aRow("after")]);
  expect(run.read).toEqual({ outcome: "read", rows: [first, aRow("after")] });
});
