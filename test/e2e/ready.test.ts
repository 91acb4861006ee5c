import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
let clone: string;
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), "waybill-clone-"));
  const settings = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json", "scripts"];
  // Two sources, of which one needs the other: how many there are makes no difference but in time.
  for (const name of [...settings, "src/clock.ts", "src/deadline.ts"]) {
    cpSync(join(root, name), join(clone, name), { recursive: true });
  }
  // Installing is tried on real fresh clones; here it counts as done.
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
});
afterEach(() => rmSync(clone, { recursive: true, force: true }));

const ready = () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/ready.mjs"], {
    cwd: clone,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
};

test("a clone is built once, silently left alone when nothing changed, and built again when a source changed", () => {
  expect(ready()).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Building…\nBuilding: done/) });
  expect(ready()).toEqual({ status: 0, stdout: "", stderr: "" });
  writeFileSync(join(clone, "src/clock.ts"), "export const systemClock = 1;\n");
  const broken = ready();
  expect(broken.status).toBe(1);
  expect(broken.stderr).toMatch(/error TS/);
  cpSync(join(root, "src/clock.ts"), join(clone, "src/clock.ts"));
  expect(ready()).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Building…/) });
});

test("two that start at once do the work once, and both end well", async () => {
  const start = () =>
    new Promise<{ code: number | null; stderr: string }>((resolve) => {
      const child = spawn(process.execPath, ["scripts/ready.mjs"], { cwd: clone });
      let stderr = "";
      child.stderr.on("data", (chunk) => {
        stderr += chunk;
      });
      child.on("close", (code) => resolve({ code, stderr }));
    });
  const both = await Promise.all([start(), start()]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(both.map(({ stderr }) => stderr).filter((words) => words.includes("Building"))).toHaveLength(1);
});
