import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
let clone: string;
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), "waybill-clone-"));
  const isSource = (path: string) => !path.includes("node_modules");
  // Includes the page's build, which takes long; the content of its sources shows that it is up to date.
  for (const name of [
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "bin",
    "scripts",
    "packages",
    "src",
    "web",
    "dist/page",
  ]) {
    cpSync(join(root, name), join(clone, name), { recursive: true, filter: isSource });
  }
  // Installation is tested on real fresh clones; here it counts as done. If it were not, it must fail: it would replace
  // this repository's packages through the link.
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
  symlinkSync(join(root, "web/node_modules"), join(clone, "web/node_modules"));
  mkdirSync(join(clone, "no-npm"));
  writeFileSync(join(clone, "no-npm/npm"), "#!/bin/sh\necho 'run npm run ready first' >&2\nexit 1\n", { mode: 0o755 });
});
afterEach(() => rmSync(clone, { recursive: true, force: true }));

type Ended = { status: number | null; stdout: string; stderr: string };

/** Any program will do: it is not run. */
const withChromium = { CHROMIUM_PATH: process.execPath };

/** Asynchronous: Vitest gives up on a worker that is silent for a minute. */
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

test("a command in a clone that is not built says how to build it", () => {
  const { status, stderr } = spawnSync(process.execPath, ["bin/waybill", "lanes"], { cwd: clone, encoding: "utf8" });
  expect(stderr).toMatch(/^waybill: This clone is not built yet.*\n.*`npm run ready`.*\n$/);
  expect(status).toBe(1);
});

test("a clone is built once, silently left alone if nothing changed, and rebuilt if a source changed", async () => {
  expect(await ready()).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/^Building…\nBuilding: done.*\nBuilding the modules for the tests…\n.*: done.*\n$/),
  });
  expect(await ready()).toEqual({ status: 0, stdout: "", stderr: "" });
  writeFileSync(join(clone, "src/platform/app-error.ts"), "export const messageOf = 1;\n");
  const broken = await ready();
  expect(broken.status).toBe(1);
  expect(broken.stderr).toMatch(/No matching export in "src\/platform\/app-error.ts"/);
  // The previous build still works.
  expect(existsSync(join(clone, "dist/waybill.js"))).toBe(true);
  cpSync(join(root, "src/platform/app-error.ts"), join(clone, "src/platform/app-error.ts"));
  expect(await ready()).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Building…/) });
});

test("the page is rebuilt if one of its sources changed, and kept when the program is built", async () => {
  await ready();
  rmSync(join(clone, "dist/waybill.js"));
  rmSync(join(clone, "dist/.waybill-ready"));
  expect(await ready()).toMatchObject({ status: 0, stderr: expect.not.stringContaining("the page") });
  appendFileSync(join(clone, "web/src/tokens.css"), "/* changed */\n");
  expect(await ready()).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Building the page…\n.*done/) });
  expect(readdirSync(join(clone, "dist/page"))).toEqual(expect.arrayContaining(["index.html", "assets"]));
});

test("two concurrent runs do the work once, and both succeed", async () => {
  const both = await Promise.all([ready(), ready()]);
  expect(both.map(({ status }) => status)).toEqual([0, 0]);
  expect(both.map(({ stderr }) => stderr).filter((words) => words.includes("Building…"))).toHaveLength(1);
});

test("without Chromium, if it cannot be installed, it says how to get it", async () => {
  const hint = expect.stringMatching(/none is in PATH\. Install it .*apt-get install chromium.* or set CHROMIUM_PATH/);
  expect(await ready({})).toMatchObject({ status: 1, stderr: hint });
  const wrong = await ready({ CHROMIUM_PATH: "/nowhere/chromium" });
  expect(wrong).toMatchObject({ status: 1, stderr: expect.stringContaining("CHROMIUM_PATH names no program") });
});

test.runIf(process.getuid?.() === 0)("without Chromium, root installs it once if apt-get exists", async () => {
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
});
