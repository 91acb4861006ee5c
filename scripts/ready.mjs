/**
 * The first step of every npm script: makes a fresh clone ready. Installs what the lock file says and builds `dist`,
 * each only when something changed since the last time. Plain Node, because nothing else may be there yet.
 *
 * With `--demo` only what the demo runs on: no browser, no tools of development but the one that builds, and of the agent
 * programs the one that the demo runs.
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
/** The versions that were tried; see docs/opencode.md, docs/claude.md and docs/pi.md. */
const programs = [
  // The demo's.
  { name: "OpenCode", directory: "node_modules/.opencode", from: "opencode-ai", version: "1.18.33" },
  {
    name: "Claude Code",
    directory: "node_modules/.claude-code",
    from: "@anthropic-ai/claude-code",
    version: "2.1.325",
  },
  // The newest that runs on Node.js 20; the project goes on under another name that needs 22.
  { name: "pi", directory: "node_modules/.pi", from: "@mariozechner/pi-coding-agent", version: "0.73.1" },
];
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
if (!isDemo) {
  await step({
    ...dependencies,
    doing: "Installing dependencies (the first time this takes a minute or two)",
    command: ["npm", "ci", "--include=dev", ...quiet],
  });
} else if (!isDone(dependencies)) {
  // What was installed for development has everything; otherwise esbuild alone is added to what the program needs.
  await step({
    doing: "Installing dependencies",
    stamp: "node_modules/.waybill-demo-ready",
    state: dependencies.state,
    command: ["npm", "ci", "--omit=dev", ...quiet],
  });
  const { version } = JSON.parse(read("package-lock.json")).packages["node_modules/esbuild"];
  await step({
    doing: `Installing esbuild ${version}`,
    stamp: "node_modules/.esbuild/.waybill-ready",
    state: () => version,
    command: ["npm", "install", "--prefix", "node_modules/.esbuild", `esbuild@${version}`, "--save-exact", ...quiet],
  });
}
// Apart from the lock file: their packages for other systems are 180 MB and more each, and one system's registry may
// lack some of them, over which `npm ci` would stumble. The versions are exact all the same.
for (const { name, directory, from, version } of isDemo ? programs.slice(0, 1) : programs) {
  await step({
    doing: `Installing ${name} ${version} for the ${isDemo ? "demo" : "tests"}`,
    stamp: `${directory}/.waybill-ready`,
    state: () => version,
    command: ["npm", "install", "--prefix", directory, `${from}@${version}`, "--save-exact", ...quiet],
  });
}
if (!isDemo) await installChromium();
const build = {
  state: () => hash([read("tsconfig.json"), read("scripts/build.mjs"), read("package-lock.json"), ...sources("src")]),
  command: [process.execPath, "scripts/build.mjs"],
};
await step({ ...build, doing: "Building", stamp: "dist/.waybill-ready" });
if (!isDemo) {
  const command = [...build.command, "--modules"];
  await step({ ...build, command, doing: "Building the modules for the tests", stamp: "build/.waybill-ready" });
}

/** Of the system and not of npm. */
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
    // Somebody else may have done it while this one waited.
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
    // Somebody else may have done it while this one waited.
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
    if (code !== 0) stop(`${output}\n${doing} failed (${command.join(" ")}).`);
  }
  process.stderr.write(`${doing.split(" (")[0]}: done in ${Math.round((Date.now() - started) / 1000)} s.\n`);
}

/** Two of these at once, as in two terminals, would take each other's files away. */
async function alone(work) {
  const lock = join(tmpdir(), `waybill-ready-${hash([root]).slice(0, 16)}`);
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      if (isAlive(Number(readIfThere(lock)))) await new Promise((resolve) => setTimeout(resolve, 200));
      else rmSync(lock, { force: true });
    }
  }
  const release = () => rmSync(lock, { force: true });
  process.once("exit", release);
  await work();
  process.removeListener("exit", release);
  release();
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

/** Names, sizes and times: enough to see a change, and done in no time. */
function sources(directory) {
  return readdirSync(join(root, directory), { recursive: true })
    .sort()
    .map((name) => {
      const { size, mtimeMs } = statSync(join(root, directory, name));
      return `${name} ${size} ${mtimeMs}`;
    });
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
