/**
 * `npm test`: with arguments, Vitest on these test files, in whatever project they are; without, the whole suite, step by
 * step until one fails. Prints how long each step took. With --times=N, runs the files, or all end-to-end tests, N times,
 * and lists every test that failed.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const vitest = ["node_modules/vitest/vitest.mjs", "run"];
/** Four files at a time on two cores: they often wait for a process. */
const processes = [...vitest, "--project", "daemon", "--project", "e2e", "--maxWorkers=4"];
const reported = (name) => ["--reporter=default", "--reporter=json", `--outputFile.json=reports/${name}.json`];

const given = process.argv.slice(2);
const times = Number(given.find((word) => word.startsWith("--times="))?.slice("--times=".length) ?? 0);
const words = given.filter((word) => !word.startsWith("--times="));

process.exitCode = await (times > 0 ? repeat() : words.length > 0 ? runFiles() : runAll());

async function runFiles() {
  return (await run(["scripts/ready.mjs"])) || (await run([...vitest, ...words]));
}

async function runAll() {
  const steps = [
    ["set-up", ["scripts/ready.mjs"]],
    ["check", ["scripts/check.mjs"]],
    ["end-to-end tests", [...processes, ...reported("e2e")]],
    ["tests that documents cite", [...vitest, "--project", "cited"]],
  ];
  const taken = [];
  let code = 0;
  for (const [name, args] of steps) {
    const started = Date.now();
    code = await run(args);
    taken.push(`${minutes(Date.now() - started)}  ${name}${code === 0 ? "" : ": failed"}`);
    if (code !== 0) break;
  }
  console.log(`\n${taken.join("\n")}`);
  return code;
}

async function repeat() {
  const failed = new Map();
  let code = await run(["scripts/ready.mjs"]);
  if (code !== 0) return code;
  for (let time = 1; time <= times; time++) {
    const started = Date.now();
    code = (await run([...(words.length > 0 ? vitest : processes), ...reported("again"), ...words])) || code;
    for (const name of failuresIn("reports/again.json")) failed.set(name, (failed.get(name) ?? 0) + 1);
    console.log(`Run ${time} of ${times} took ${minutes(Date.now() - started)}.`);
  }
  for (const [name, count] of [...failed].sort(([, one], [, other]) => other - one)) {
    console.log(`${String(count).padStart(3)} of ${times}  ${name}`);
  }
  if (failed.size === 0) console.log(`No test failed in ${times} runs.`);
  return code;
}

function failuresIn(report) {
  const { testResults } = JSON.parse(readFileSync(new URL(`../${report}`, import.meta.url), "utf8"));
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const file = relative(root, name);
    const tests = assertionResults.filter((one) => one.status === "failed").map((one) => `${file}: ${one.fullName}`);
    return tests.length === 0 && status === "failed" ? [file] : tests;
  });
}

function run(args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit" });
    child.on("close", (code) => resolve(code ?? 1));
  });
}

function minutes(ms) {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
