import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { payloadHash } from "../../src/core/message/message.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { aMessage, aRecord } from "../support/core/records.ts";
import { aLane } from "../support/daemon/waybill.ts";

const program = fileURLToPath(new URL("../../bin/waybill", import.meta.url));
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waybill-cli-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

type Result = { code: number | null; stdout: string; stderr: string };

function waybill(args: string[]) {
  const env = {
    ...process.env,
    NO_COLOR: "1",
    WAYBILL_HOME: home,
    SQLITE_PATH: join(home, "waybill.db"),
  };
  return new Promise<Result>((resolve) => {
    const child = spawn(process.execPath, [program, ...args], { env });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

async function makeStore() {
  const store = openSqliteStore({ path: join(home, "waybill.db") });
  await store.putLane(aLane());
  await store.admit({ message: aMessage(), payloadHash: payloadHash(aMessage()), delivery: aRecord(), choice: null });
  return store;
}

describe("waybill store", () => {
  test("backs up while the store is in use, checks, and restores", async () => {
    const store = await makeStore();
    const backup = join(home, "backup.db");
    expect(await waybill(["store", "backup", backup])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/copy passed its check/),
    });
    expect(await waybill(["store", "check", "--json"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"findings":[]'),
    });
    const refused = await waybill(["store", "restore", backup]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`in use by process ${process.pid}`) });
    await store.close();
    const restored = await waybill(["store", "restore", backup]);
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringMatching(/kept as .*before-restore/) });
    expect(restored.stdout).toMatch(/1 message may have been sent since/);
  });

  test("a damaged store is reported, with exit code 1", async () => {
    writeFileSync(join(home, "waybill.db"), "this is no database at all, and never was one".repeat(50));
    const { code, stdout } = await waybill(["store", "check"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/damaged/);
  });

  test("a missing store is a clear error", async () => {
    const { code, stderr } = await waybill(["store", "check"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^waybill: The store .* cannot be opened/);
    expect(stderr).not.toMatch(/\n {4}at /);
  });
});

test("help and version", async () => {
  expect(await waybill(["--help"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/Usage: waybill/) });
  expect(await waybill(["store", "--help"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/Examples:/) });
  expect(await waybill(["help"])).toEqual(await waybill(["--help"]));
  expect(await waybill(["help", "store"])).toEqual(await waybill(["store", "--help"]));
  expect(await waybill(["--version"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  expect(await waybill([])).toMatchObject({ code: 2, stdout: expect.stringMatching(/Commands:/) });
});
