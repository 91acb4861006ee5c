/** A full or read-only disk under the running daemon: a clear error, nothing lost, and recovery without help. */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Program } from "../support/daemon/program.ts";

let waybill: Program;
let disk: string;
beforeEach(() => {
  waybill = new Program();
  disk = join(waybill.directory, "disk");
  mkdirSync(disk);
  const answers = { always: [{ steps: [{ say: "Yes: 412." }] }] };
  waybill.configure({ lane: answers }, { sqlitePath: join(disk, "waybill.db") });
});
afterEach(() => waybill.dispose());

/** Mounts in a separate namespace: no other process sees them, and they end with the process. */
const within = (mount: string) => ["unshare", "--map-root-user", "--mount", "sh", "-c", `${mount} && exec "$@"`, "sh"];
const canMount = spawnSync("unshare", ["--map-root-user", "--mount", "true"]).status === 0;

// Without permission to mount, as on a Mac, there is no small disk to fill; CI has one.
describe.skipIf(!canMount && !process.env.CI)("a disk", () => {
  test("that is full rejects messages with 503 and makes /ready red, until there is space again", async () => {
    const daemon = await waybill.up({}, within(`mount -t tmpfs -o size=4m tmpfs "${disk}"`));
    // The mount is visible through its process.
    const ballast = `/proc/${daemon.pid}/root${disk}/ballast`;
    const before = await waybill.client().sendAndWait({ to: { lane: "lane" }, text: "Is it green?", messageId: "m1" });
    expect(before.status).toBe("responded");
    spawnSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=1M"]);
    truncateSync(ballast, statSync(ballast).size - 100_000);
    const refused = await post({ to: { lane: "lane" }, text: "x".repeat(200_000), messageId: "m2" });
    expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: "store_unwritable" } }]);
    // Each time, although the small write itself would fit.
    for (let probe = 0; probe < 8; probe++) {
      expect(await ready()).toEqual([503, expect.arrayContaining(["store_unwritable"])]);
    }
    rmSync(ballast);
    expect(await ready()).toEqual([200, []]);
    const after = await waybill.client().sendAndWait({ to: { lane: "lane" }, text: "Is it green?", messageId: "m2" });
    expect(after.status).toBe("responded");
    expect(await ready()).toEqual([200, []]);
  });

  test("that is read-only stops the start with a clear error", async () => {
    const readOnly = within(`mount -t tmpfs tmpfs "${disk}" && mount -o remount,ro "${disk}"`);
    const { code, stderr } = await waybill.run(["up"], { within: readOnly });
    expect(code).toBe(1);
    expect(stderr).toMatch(/read-only/i);
    expect(stderr).not.toMatch(/\n {4}at /);
  });
});

const post = (message: object) =>
  waybill.fetch("/v1/messages", {
    method: "POST",
    body: JSON.stringify(message),
    headers: { "Content-Type": "application/json" },
  });

async function ready(): Promise<[number, string[]]> {
  const answer = await waybill.fetch("/ready");
  return [answer.status, ((await answer.json()) as { reasons: string[] }).reasons];
}
