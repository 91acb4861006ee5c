/** Writes docs/benchmarks.md and its charts from the last results. Says which missed goals nobody has explained yet. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { benchmarks } from "./benchmarks.mjs";
import { goals } from "./goals.mjs";
import { documentOf, unexplained } from "./harness/document.mjs";

const resultsDirectory = fileURLToPath(new URL("results", import.meta.url));
const docs = fileURLToPath(new URL("../docs", import.meta.url));

export function writeDocument() {
  const kept = new Set(readdirSync(resultsDirectory));
  const present = Object.keys(benchmarks).filter((name) => kept.has(`${name}.json`));
  const read = (name) => JSON.parse(readFileSync(join(resultsDirectory, `${name}.json`), "utf8"));
  const results = Object.fromEntries(present.map((name) => [name, read(name)]));
  const { text, charts } = documentOf(results, goals);
  const folder = join(docs, "benchmarks");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, svg] of charts) writeFileSync(join(folder, file), svg);
  writeFileSync(join(docs, "benchmarks.md"), text);
  return unexplained(results, goals);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { measure } of writeDocument()) {
    process.stderr.write(`Not met and without a remark in bench/goals.mjs: ${measure}\n`);
  }
}
