/**
 * The first step of every npm script: makes a fresh clone ready. Installs what the lock file says and builds `dist`, each
 * only if something has changed since the last time. Plain Node, because nothing else may be installed yet.
 *
 * With `--demo`, only what the demo needs: no browser, no development tools except the bundler, and only the demo's agent
 * program.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium, findInPath } from "./find-chromium.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const needed = [20, 19];
/** The program of each runtime, in the version that was tested; docs/opencode.md, docs/claude.md and docs/pi.md explain it. */
const programs = readdirSync(join(root, "src/runtimes"), { recursive: true })
  .filter((name) => name.endsWith("program.json"))
  .map((name) => JSON.parse(read(`src/runtimes/${name}`)));
const lock = join(tmpdir(), `waybill-ready-${hash([root]).slice(0, 16)}`);
/** Steps at the same time share the lock. */
let locked = null;
let held = 0;
const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  stop(`Waybill needs Node.js ${needed.join(".")} or newer; this is ${process.versions.node}.`);
}

const isDemo = process.argv.includes("--demo");
const dependencies = {
  stamp: "node_modules/.waybill-ready",
  state: () => hash([process.versions.modules, read("package-lock.json")]),
};
const demoDependencies = { ...dependencies, stamp: "node_modules/.waybill-demo-ready" };
// Without their scripts: one of them compiles SQLite, which takes a minute, and everything else can be installed meanwhile.
const installing = { doing: "Installing dependencies", ...dependencies };
if (isDemo) {
  // A development install has everything; the bundler comes with the page's tools.
  const command = ["npm", "ci", "--omit=dev", "--ignore-scripts", ...quiet];
  if (!isDone(dependencies)) await step({ ...installing, ...demoDependencies, command });
} else if (isDone(demoDependencies)) {
  // Not `npm ci`, which deletes everything first: the demo may be running.
  const command = ["npm", "install", "--include=dev", "--no-save", "--ignore-scripts", ...quiet];
  await step({ ...installing, command });
} else {
  await step({ ...installing, command: ["npm", "ci", "--include=dev", "--ignore-scripts", ...quiet] });
}
const page = {
  doing: "Installing what builds the page",
  stamp: "web/node_modules/.waybill-ready",
  state: () => hash([process.versions.modules, read("web/package-lock.json")]),
  command: ["npm", "ci", "--prefix", "web", ...quiet],
};
// Not in the lock file: their packages for other systems are 180 MB and more each, and a registry may lack some of
// them, which would break `npm ci`. The versions are still exact.
const agentPrograms = programs
  .filter(({ usedByDemo }) => usedByDemo || !isDemo)
  .map(({ name, testDirectory, package: from, testedVersion }) => ({
    doing: `Installing ${name} ${testedVersion} for the ${isDemo ? "demo" : "tests"}`,
    stamp: `${testDirectory}/.waybill-ready`,
    state: () => testedVersion,
    command: ["npm", "install", "--prefix", testDirectory, `${from}@${testedVersion}`, "--save-exact", ...quiet],
  }));
await Promise.all([
  step({
    doing: "Compiling SQLite (the first time this takes a minute or two)",
    stamp: "node_modules/better-sqlite3/.waybill-ready",
    state: dependencies.state,
    command: ["npm", "rebuild", ...quiet],
  }),
  // One after the other: each of them wants a core for itself.
  (async () => {
    for (const one of [page, ...agentPrograms]) await step(one);
    if (!isDemo) await installChromium();
  })(),
]);
const build = {
  state: () =>
    hash([
      read("tsconfig.json"),
      read("scripts/build.mjs"),
      read("package-lock.json"),
      ...sources("src"),
      ...sources("packages"),
    ]),
  command: [process.execPath, "scripts/build.mjs"],
};
await step({ ...build, doing: "Building", stamp: "dist/.waybill-ready" });
await step({
  doing: "Building the page",
  stamp: "dist/page/.waybill-ready",
  state: () => hash([read("tsconfig.json"), read("web/package-lock.json"), ...pageFiles()]),
  command: [process.execPath, "web/node_modules/vite/bin/vite.js", "build", "web", "--logLevel", "error"],
});
if (!isDemo) {
  const command = [...build.command, "--modules"];
  await step({ ...build, command, doing: "Building the modules for the tests", stamp: "build/.waybill-ready" });
}

/** Chromium comes from the system, not from npm. */
async function installChromium() {
  const isThere = () => findChromium(process.env) !== null;
  if (isThere()) return;
  const isRoot = process.getuid?.() === 0;
  if (process.env.CHROMIUM_PATH || !isRoot || findInPath(["apt-get"], process.env.PATH ?? "") === null) {
    stop(
      `The tests need Chromium, and ${process.env.CHROMIUM_PATH ? "CHROMIUM_PATH names no program" : "none is in PATH"}. ` +
        "Install it (on Debian: `sudo apt-get install chromium`), or set CHROMIUM_PATH to a Chromium or Chrome.",
    );
  }
  process.env.DEBIAN_FRONTEND = "noninteractive";
  await alone(async () => {
    // Another process may have done it during the wait.
    if (isThere()) return;
    await perform("Installing Chromium for the tests", [
      ["apt-get", "update"],
      ["apt-get", "install", "--yes", "--no-install-recommends", "chromium"],
    ]);
  });
}

function isDone({ stamp, state }) {
  return read(stamp) === state();
}

async function step({ doing, stamp, state, command }) {
  if (isDone({ stamp, state })) return;
  await alone(async () => {
    const now = state();
    // Another process may have done it during the wait.
    if (read(stamp) === now) return;
    await perform(doing, [command]);
    mkdirSync(join(root, stamp, ".."), { recursive: true });
    writeFileSync(join(root, stamp), now);
  });
}

async function perform(doing, commands) {
  const started = Date.now();
  process.stderr.write(`${doing}…\n`);
  for (const command of commands) {
    const { code, output } = await run(command);
    if (code !== 0) stop(`${output}\n${doing} failed (${command.join(" ")}).${hintFor(output)}`);
  }
  process.stderr.write(`${doing.split(" (")[0]}: done in ${Math.round((Date.now() - started) / 1000)} s.\n`);
}

function hintFor(output) {
  return output.includes("node-gyp")
    ? "\nbetter-sqlite3 had to be compiled, which needs Python 3, make, a C++ compiler and the headers of Node.js."
    : "";
}

/** Two of these processes at the same time, as in two terminals, would delete each other's files. */
async function alone(work) {
  held += 1;
  locked ??= takeLock();
  await locked;
  try {
    await work();
  } finally {
    held -= 1;
    if (held === 0) releaseLock();
  }
}

async function takeLock() {
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" });
      process.once("exit", releaseLock);
      return;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      if (isAlive(Number(readIfThere(lock)))) await new Promise((resolve) => setTimeout(resolve, 200));
      else rmSync(lock, { force: true });
    }
  }
}

function releaseLock() {
  process.removeListener("exit", releaseLock);
  locked = null;
  rmSync(lock, { force: true });
}

function isAlive(pid) {
  try {
    return pid === 0 || process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

function run([program, ...args]) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, shell: process.platform === "win32" });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("error", (error) => resolve({ code: 1, output: String(error) }));
    child.on("close", (code) => resolve({ code, output }));
  });
}

/** Names, sizes and times: enough to detect a change, and fast. */
function sources(directory) {
  return readdirSync(join(root, directory), { recursive: true })
    .sort()
    .map((name) => {
      const { size, mtimeMs } = statSync(join(root, directory, name));
      return `${name} ${size} ${mtimeMs}`;
    });
}

/** The page's sources by content: a build takes seconds, and a copy of the repository need not repeat it. */
function pageFiles() {
  const files = ["web/index.html", "web/tsconfig.json", "web/vite.config.ts"];
  for (const directory of ["web/src", "src/client"]) {
    const names = readdirSync(join(root, directory), { recursive: true });
    files.push(...names.map((name) => `${directory}/${name}`).filter((name) => /\.(tsx?|css|svg)$/.test(name)));
  }
  return files.sort().map((name) => `${name} ${hash([read(name)])}`);
}

function read(path) {
  return readIfThere(join(root, path));
}

function readIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return "";
    throw error;
  }
}

function hash(parts) {
  return createHash("sha256").update(parts.join("\n")).digest("hex");
}

function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
