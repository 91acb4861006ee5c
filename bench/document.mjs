/**
 * Writes docs/benchmarks.md and its charts from the last results, and lists missed goals that have no explanation yet. With
 * `--check` it writes nothing, and fails if the files do not match the results.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { benchmarks } from "./benchmarks.mjs";
import { goals } from "./goals.mjs";
import { documentOf, unexplained } from "./harness/document.mjs";

const resultsDirectory = fileURLToPath(new URL("results", import.meta.url));
const docs = fileURLToPath(new URL("../docs", import.meta.url));
const charts = join(docs, "benchmarks");

export function writeDocument() {
  rmSync(charts, { recursive: true, force: true });
  for (const [path, text] of files()) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

function files() {
  const document = documentOf(readResults(), goals);
  const ofCharts = [...document.charts].map(([name, svg]) => [join(charts, name), svg]);
  return new Map([[join(docs, "benchmarks.md"), document.text], ...ofCharts]);
}

function readResults() {
  const kept = Object.keys(benchmarks).map((name) => [name, join(resultsDirectory, `${name}.json`)]);
  const read = ([name, path]) => [name, JSON.parse(readFileSync(path, "utf8"))];
  return Object.fromEntries(kept.filter(([, path]) => existsSync(path)).map(read));
}

/** The files that are missing, different, or left over. */
function stale() {
  const wanted = files();
  const there = existsSync(charts) ? readdirSync(charts).map((name) => join(charts, name)) : [];
  const leftOver = there.filter((path) => !wanted.has(path));
  const different = [...wanted].filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text);
  return [...different.map(([path]) => path), ...leftOver];
}

function main() {
  if (process.argv.includes("--check")) {
    const names = stale().map((path) => path.slice(docs.length + 1));
    if (names.length === 0) return;
    process.stderr.write(`Out of date with bench/results: ${names.join(", ")}. Run \`node bench/document.mjs\`.\n`);
    process.exitCode = 1;
    return;
  }
  writeDocument();
  for (const { measure } of unexplained(readResults(), goals)) {
    process.stderr.write(`Missed, and without a remark in bench/goals.mjs: ${measure}\n`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
