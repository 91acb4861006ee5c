/** The commands in README.md and CONTRIBUTING.md, run as they are written, next to the `npm start` that they begin with. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { readDaemonFile } from "../../src/daemon/supervisor/daemon-file.ts";
import { isGone } from "../support/daemon/daemon-process.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };

type Line = { document: string; command: string; isRun: boolean };

/** Shell blocks, one command a line; ```sh no-test marks what cannot be run here. */
const lines = ["README.md", "CONTRIBUTING.md"].flatMap((document): Line[] => {
  const blocks = readFileSync(join(root, document), "utf8").matchAll(/^```sh( no-test)?\n(.*?)^```/gms);
  return [...blocks].flatMap(([, noTest, block = ""]) =>
    block
      .split("\n")
      .map((line) => line.replace(/\s+#.*$/, "").trim())
      .filter((command) => command !== "")
      .map((command) => ({ document, command, isRun: noTest === undefined })),
  );
});
/** `npm test` is what runs this, and `npm start` runs meanwhile. */
const isSpecial = ({ command }: Line) => command === "npm start" || command === "npm test";

const directory = mkdtempSync(join(tmpdir(), "waybill-documented-"));
const home = join(directory, "state");
const env = {
  ...process.env,
  WAYBILL_HOME: home,
  WAYBILL_CONFIG: "",
  WAYBILL_DEMO: "1",
  PORT: "0",
  NO_COLOR: "1",
  NPM_CONFIG_UPDATE_NOTIFIER: "false",
};
mkdirSync(home, { mode: 0o700 });
const npm = spawn("npm", ["start"], { cwd: root, env, stdio: "ignore", detached: true });
const exit = once(npm, "exit");

afterAll(() => {
  if (npm.exitCode === null && npm.signalCode === null && npm.pid !== undefined) process.kill(-npm.pid, "SIGKILL");
  rmSync(directory, { recursive: true, force: true });
});

test("npm start runs Waybill", async () => {
  await expect.poll(() => readDaemonFile(home)?.url, { timeout: 120_000 }).toMatch(/^http/);
});

test("there are commands in each document", () => {
  expect(lines.filter(isSpecial)).toHaveLength(4);
  for (const document of ["README.md", "CONTRIBUTING.md"]) {
    expect(lines.filter((line) => line.document === document && line.isRun && !isSpecial(line))).not.toEqual([]);
  }
});

test.each(lines.filter((line) => line.isRun && !isSpecial(line)))("$document: $command", async ({ command }) => {
  await promisify(execFile)("sh", ["-c", command], { cwd: root, env });
});

test.each(lines.filter(({ isRun }) => !isRun))("$document names only what exists: $command", async ({ command }) => {
  const [program = "", first = "", second = "", ...rest] = command.split(/\s+/);
  const named = [first, second, ...rest];
  if (program === "npm") expect(Object.keys(scripts)).toContain(first === "run" ? second : first);
  else if (program === "npx" && first === "waybill")
    await promisify(execFile)("npx", ["waybill", second, "--help"], { cwd: root, env });
  else expect(["node", "npx"]).toContain(program);
  expect(named.filter((word) => /\.(test\.ts|mjs)$/.test(word) && !existsSync(join(root, word)))).toEqual([]);
});

test("a signal to npm stops the daemon that it started", async () => {
  const { supervisorPid = 0, workerPid = 0 } = readDaemonFile(home) ?? {};
  expect(isGone(supervisorPid)).toBe(false);
  npm.kill("SIGTERM");
  await exit;
  await expect.poll(() => [supervisorPid, workerPid ?? 0].every(isGone)).toBe(true);
});
