import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
let clone: string;
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), "waybill-clone-"));
  for (const name of ["package.json", "package-lock.json", "tsconfig.json", "scripts", "src"]) {
    cpSync(join(root, name), join(clone, name), { recursive: true });
  }
  // Installing is tried on real fresh clones; here it counts as done. Where it is not, it must fail: it would replace
  // what this repository has installed, through the link.
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
  mkdirSync(join(clone, "no-npm"));
  writeFileSync(join(clone, "no-npm/npm"), "#!/bin/sh\necho 'run npm run ready first' >&2\nexit 1\n", { mode: 0o755 });
});
afterEach(() => rmSync(clone, { recursive: true, force: true }));

type Ended = { status: number | null; stdout: string; stderr: string };

/** Any program will do: it is not run. */
const withChromium = { CHROMIUM_PATH: process.execPath };

/** Not while everything waits: a worker that says nothing for a minute is given up. */
const ready = (env: Record<string, string> = withChromium) =>
  new Promise<Ended>((resolve) => {
    const path = { PATH: join(clone, "no-npm") };
    const child = spawn(process.execPath, ["scripts/ready.mjs"], { cwd: clone, env: { ...path, ...env } });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].on("data", (chunk) => {
        said[name] += chunk;
      });
    }
    child.on("close", (status) => resolve({ status, ...said }));
  });

test("a clone is built once, silently left alone when nothing changed, and built again when a source changed", async () => {
  expect(await ready()).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/^Building…\nBuilding: done.*\nBuilding the modules for the tests…\n.*: done.*\n$/),
  });
  expect(await ready()).toEqual({ status: 0, stdout: "", stderr: "" });
  writeFileSync(join(clone, "src/app-error.ts"), "export const messageOf = 1;\n");
  const broken = await ready();
  expect(broken.status).toBe(1);
  expect(broken.stderr).toMatch(/No matching export in "src\/app-error.ts"/);
  cpSync(join(root, "src/app-error.ts"), join(clone, "src/app-error.ts"));
  expect(await ready()).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Building…/) });
});

test("two that start at once do the work once, and both end well", async () => {
  const both = await Promise.all([ready(), ready()]);
  expect(both.map(({ status }) => status)).toEqual([0, 0]);
  expect(both.map(({ stderr }) => stderr).filter((words) => words.includes("Building…"))).toHaveLength(1);
});

test("without Chromium, where it cannot be installed, it says how to get it", async () => {
  const hint = expect.stringMatching(/none is in PATH\. Install it .*apt-get install chromium.* or set CHROMIUM_PATH/);
  expect(await ready({})).toMatchObject({ status: 1, stderr: hint });
  const wrong = await ready({ CHROMIUM_PATH: "/nowhere/chromium" });
  expect(wrong).toMatchObject({ status: 1, stderr: expect.stringContaining("CHROMIUM_PATH names no program") });
});

test.runIf(process.getuid?.() === 0)(
  "without Chromium it is installed once, by root where there is apt-get",
  async () => {
    const chromium = join(clone, "no-npm/chromium");
    const aptGet = `#!/bin/sh\necho "$*" >>apt-get.log\n[ "$1" = update ] || /bin/ln -s /bin/true ${chromium}\n`;
    writeFileSync(join(clone, "no-npm/apt-get"), aptGet, { mode: 0o755 });
    const first = await ready({});
    expect(first).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^Installing Chromium for the tests…\n.*done/),
    });
    expect(await ready({})).toEqual({ status: 0, stdout: "", stderr: "" });
    const asked = readFileSync(join(clone, "apt-get.log"), "utf8");
    expect(asked).toBe("update\ninstall --yes --no-install-recommends chromium\n");
  },
);
