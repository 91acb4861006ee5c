/**
 * `npm run test:long`: the long tests, or with words only the files whose path contains one of them. Facts about an agent
 * program that passed are recorded with the program's version in test/long/confirmed-facts.json: `npm test` does not try
 * them again, but fails if the tested version is another one.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const record = `${root}/test/long/confirmed-facts.json`;
const report = `${root}/reports/long.json`;
const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project", "long", ...process.argv.slice(2)];
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];

process.exitCode = run(["scripts/ready.mjs"]);
if (process.exitCode === 0) {
  mkdirSync(`${root}/reports`, { recursive: true });
  process.exitCode = run([...vitest, ...reporters]);
  const confirmed = { ...readJson(record), ...confirmedBy(readJson(report).testResults) };
  writeFileSync(record, `${JSON.stringify(confirmed, null, 2)}\n`);
}

/** By runtime: the tested version, and its tests by file, if every one of them passed. */
function confirmedBy(results) {
  const passed = new Map(
    results.map(({ name, assertionResults: tests }) => [
      relative(root, name),
      tests.every(({ status }) => status === "passed") ? tests.map(({ title }) => title) : null,
    ]),
  );
  const all = readdirSync(`${root}/test/long`).filter((name) => name.endsWith("-facts.test.ts"));
  const programs = readdirSync(`${root}/src/runtimes`, { recursive: true }).filter((path) =>
    path.endsWith("program.json"),
  );
  const confirmed = programs.flatMap((path) => {
    const [runtime] = path.split("/");
    const files = all.filter((name) => name.startsWith(`${runtime}-`)).map((name) => `test/long/${name}`);
    if (!files.every((file) => passed.get(file))) return [];
    const version = readJson(`${root}/src/runtimes/${path}`).testedVersion;
    return [[runtime, { version, files: Object.fromEntries(files.map((file) => [file, passed.get(file)])) }]];
  });
  return Object.fromEntries(confirmed);
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

function run(args) {
  return spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status ?? 1;
}
