/** The machine and the versions used for the measurements. Names no host and no path. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statfsSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { peerPackages, peersDirectory } from "./peers.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const filesystems = new Map([
  [0xef53, "ext4"],
  [0x9123683e, "btrfs"],
  [0x58465342, "xfs"],
  [0x794c7630, "overlayfs"],
  [0x01021994, "tmpfs"],
  [0x2fc12fc1, "zfs"],
]);

export function describeMachine(directory) {
  return {
    // The text after the version names who built the kernel.
    system: `${type()} ${/^\d+\.\d+/.exec(release())?.[0] ?? ""}`.trim(),
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    filesystem: filesystemOf(directory),
  };
}

/** The load of the last minute: figures from a busy machine are worth little. */
export function presentLoad() {
  return Number(loadavg()[0].toFixed(1));
}

export function filesystemOf(directory) {
  const { type: kind } = statfsSync(directory);
  return filesystems.get(kind) ?? `0x${kind.toString(16)}`;
}

/** Programs that are not installed are left out. */
export function describeVersions() {
  const programs = {
    OpenCode: "node_modules/.opencode/node_modules/opencode-ai",
    "Claude Code": "node_modules/.claude-code/node_modules/@anthropic-ai/claude-code",
    "OpenCode SDK": "node_modules/@opencode-ai/sdk",
    "better-sqlite3": "node_modules/better-sqlite3",
  };
  const versions = { Waybill: versionAt(root), "Node.js": process.versions.node, SQLite: sqliteVersion() };
  for (const [name, path] of Object.entries(programs)) versions[name] = versionAt(`${root}/${path}`);
  for (const name of Object.keys(peerPackages)) versions[name] = versionAt(`${peersDirectory}/node_modules/${name}`);
  versions["redis-server"] = redisVersion();
  return Object.fromEntries(Object.entries(versions).filter(([, version]) => version !== null));
}

function versionAt(directory) {
  const path = `${directory}/package.json`;
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).version : null;
}

function sqliteVersion() {
  const db = new Database(":memory:");
  const version = db.prepare("SELECT sqlite_version()").pluck().get();
  db.close();
  return version;
}

function redisVersion() {
  try {
    return /v=(\S+)/.exec(execFileSync("redis-server", ["--version"], { encoding: "utf8" }))?.[1] ?? null;
  } catch {
    return null;
  }
}
