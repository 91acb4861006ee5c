/**
 * Runs benchmarks: all of them (`npm run bench`) or some (`npm run bench -- NAME…`). Prints a table, and keeps the last run
 * of each in bench/results. `--help` lists the options.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect, parseArgs } from "node:util";
import { benchmarks } from "./benchmarks.mjs";
import { writeDocument } from "./document.mjs";
import { describeMachine, describeVersions, filesystemOf, presentLoad } from "./harness/machine.mjs";
import { tableOf } from "./harness/table.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const names = Object.keys(benchmarks);
const help = `npm run bench -- [NAME…] [options]

  NAME          ${names.join(", ")}; without a name, all of them
  --only VALUE  only under this condition, such as 100 (lanes); may be repeated
  --quick       a tiny run that only shows that it works; its results are not kept
  --no-peers    without the programs that Waybill is compared with
  --json        print the results as JSON
`;

const { values: options, positionals } = readArguments();
if (options.help) {
  process.stdout.write(help);
  process.exit(0);
}
const work = join(here, ".work", String(process.pid));
mkdirSync(work, { recursive: true });
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));
if (filesystemOf(work) === "tmpfs")
  stop("The repository is on a tmpfs, where nothing is ever synced: use a real disk.");

const results = [];
/** A quick or partial run replaces no results. */
const isKept = !options.quick && !options["no-peers"] && options.only.length === 0;
for (const name of positionals.length > 0 ? positionals : names) {
  try {
    results.push(await runOne(name));
  } catch (error) {
    // The other benchmarks still run.
    process.stderr.write(`${name} failed: ${inspect(error)}\n`);
    process.exitCode = 1;
  }
}
if (isKept) writeDocument();
if (options.json) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);

async function runOne(name) {
  const { about, run } = await import(benchmarks[name]);
  const started = Date.now();
  const loadBefore = presentLoad();
  const progress = (text) => process.stderr.write(`${name} · ${seconds(started)} s · ${text}\n`);
  const directory = join(work, name);
  mkdirSync(directory);
  const found = await run({
    quick: options.quick,
    peers: !options["no-peers"],
    only: options.only,
    repeats: options.quick ? 2 : 5,
    directory,
    file: (path) => freshFile(directory, path),
    progress,
  });
  const result = {
    ...about,
    ranAt: new Date(started).toISOString(),
    seconds: seconds(started),
    loadBefore,
    machine: describeMachine(work),
    versions: describeVersions(),
    ...found,
  };
  if (isKept) {
    mkdirSync(join(here, "results"), { recursive: true });
    writeFileSync(join(here, "results", `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
  }
  if (!options.json) process.stdout.write(`\n${about.title} (${result.seconds} s)\n\n${tableOf(result)}\n\n`);
  return result;
}

/** A path where nothing exists yet, including the files that SQLite keeps next to it. */
function freshFile(directory, name) {
  for (const old of readdirSync(directory)) if (old.startsWith(name)) rmSync(join(directory, old), { recursive: true });
  return join(directory, name);
}

function seconds(since) {
  return Math.round((Date.now() - since) / 1000);
}

function readArguments() {
  const flag = { type: "boolean", default: false };
  try {
    const parsed = parseArgs({
      allowPositionals: true,
      options: {
        quick: flag,
        json: flag,
        help: flag,
        "no-peers": flag,
        only: { type: "string", multiple: true, default: [] },
      },
    });
    const unknown = parsed.positionals.find((name) => !names.includes(name));
    if (unknown !== undefined) stop(`Unknown benchmark "${unknown}". Known: ${names.join(", ")}.`);
    return parsed;
  } catch (error) {
    return stop(`${error.message}\n\n${help}`);
  }
}

function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
