/** Benchmarks are not part of the tests, but these check that they run and that their document matches the results. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

async function run(script: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const path = fileURLToPath(new URL(`../../bench/${script}`, import.meta.url));
  const child = spawn(process.execPath, [path, ...args]);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

type Result = { name: string; measurements: { subject: string; median: number; samples: number[] }[] };

test("a quick run of the ledger benchmark measures Waybill and SQLite alone", async () => {
  const { code, stdout } = await run("run.mjs", "ledger", "--quick", "--no-peers", "--json");
  expect(code).toBe(0);
  const [ledger] = JSON.parse(stdout) as [Result];
  expect(ledger.measurements.map(({ subject }) => subject)).toEqual([
    "Waybill",
    "limit: same statements",
    "limit: plain rows",
  ]);
  for (const { median, samples } of ledger.measurements) {
    expect(samples).toHaveLength(2);
    expect(median).toBeGreaterThan(0);
  }
});

test("an unknown benchmark is refused with the list of known ones", async () => {
  const { code, stderr } = await run("run.mjs", "leger");
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Unknown benchmark "leger". Known: ledger, latency/);
});

test("docs/benchmarks.md matches the last results", async () => {
  expect(await run("document.mjs", "--check")).toEqual({ code: 0, stdout: "", stderr: "" });
});
