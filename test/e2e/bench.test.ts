/** The benchmarks are not part of the tests; that they run, and that their document fits their results, is. */
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

test("a tiny run of the ledger benchmark measures Waybill and what SQLite alone does", async () => {
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

test("an unknown benchmark is refused with the names of those that there are", async () => {
  const { code, stderr } = await run("run.mjs", "leger");
  expect(code).toBe(1);
  expect(stderr).toMatch(/^There is no benchmark "leger". There are: ledger, latency/);
});

test("docs/benchmarks.md is what the last results say", async () => {
  expect(await run("document.mjs", "--check")).toEqual({ code: 0, stdout: "", stderr: "" });
});
