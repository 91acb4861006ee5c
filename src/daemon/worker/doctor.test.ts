/** Uses real processes in place of the program: they print what a doctor would, or misbehave. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeDoctor } from "./doctor.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "waybill-doctor-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Records that it started and with which arguments, then runs `script`. */
function doctorOf(script: string, limits: { limitMs?: number; endMs?: number } = {}) {
  const program = join(directory, "program.cjs");
  const began = join(directory, "began");
  writeFileSync(
    program,
    `const line = JSON.stringify([process.argv.slice(2), process.env.MARK]);
    require("node:fs").appendFileSync(${JSON.stringify(began)}, line + "\\n");
    ${script}`,
  );
  const doctor = makeDoctor({ env: { MARK: "mine" }, program, ...limits });
  const runs = () => (existsSync(began) ? readFileSync(began, "utf8").trim().split("\n") : []);
  return { doctor, runs };
}

const report = { checks: [{ name: "store", status: "failed", detail: "It is damaged.", fix: "Restore a backup." }] };
const print = `console.log(${JSON.stringify(JSON.stringify(report))});`;
const noReport = (detail: string) => ({
  checks: [expect.objectContaining({ name: "doctor", status: "failed", detail })],
});

test("its report is what the program prints, even if the exit code says that a check failed", async () => {
  const { doctor, runs } = doctorOf(`${print} process.exitCode = 1;`);
  expect(await doctor.examine()).toEqual(report);
  expect(runs()).toEqual([JSON.stringify([["doctor", "--json"], "mine"])]);
});

test("it runs at low priority", async () => {
  const isLow = `require("node:os").getPriority() === ${constants.priority.PRIORITY_LOW}`;
  const { doctor } = doctorOf(
    `const wait = setInterval(() => { if (${isLow}) { clearInterval(wait); ${print} } }, 10);`,
  );
  expect(await doctor.examine()).toEqual(report);
});

test("requests during a run get the same report, and later requests a new one", async () => {
  const { doctor, runs } = doctorOf(print);
  const reports = await Promise.all([doctor.examine(), doctor.examine(), doctor.examine()]);
  expect(new Set(reports).size).toBe(1);
  expect(runs()).toHaveLength(1);
  expect(await doctor.examine()).toEqual(report);
  expect(runs()).toHaveLength(2);
});

test("a program that takes too long is stopped, and may clean up", async () => {
  const cleaned = join(directory, "cleaned");
  const { doctor } = doctorOf(
    `process.on("SIGTERM", () => { require("node:fs").writeFileSync(${JSON.stringify(cleaned)}, ""); process.exit(130); });
    setInterval(() => {}, 1000);`,
    // Time enough to have started.
    { limitMs: 3000, endMs: 60_000 },
  );
  expect(await doctor.examine()).toEqual(noReport("The checks did not finish within 3 s."));
  expect(existsSync(cleaned)).toBe(true);
});

test("a program that then does not exit is killed", async () => {
  const { doctor } = doctorOf('process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);', {
    limitMs: 1000,
    endMs: 500,
  });
  expect(await doctor.examine()).toEqual(noReport("The checks did not finish within 1 s."));
});

test.each([
  ["prints nothing", ""],
  ["prints something else", 'console.log("{\\"checks\\": [{\\"name\\": 1}]}");'],
  ["breaks", 'throw new Error("broken");'],
])("a program that %s results in a report that says so", async (_, script) => {
  const { doctor } = doctorOf(script);
  expect(await doctor.examine()).toEqual(noReport("The checks could not be run."));
});

test("it stops with the daemon", async () => {
  const { doctor, runs } = doctorOf("setInterval(() => {}, 1000);");
  const asked = doctor.examine();
  await expect.poll(runs).toHaveLength(1);
  doctor.stop();
  expect(await asked).toEqual(noReport("The checks could not be run."));
});
