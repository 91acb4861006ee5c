import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as next } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../../../test/support/core/manual-clock.ts";
import { makeProjects, noProject } from "./projects.ts";

test("a directory that becomes a repository is soon reported as one, without waiting for git", async () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "waybill-project-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const clock = new ManualClock();
  const projects = makeProjects(clock);
  expect(await projects.projectOf(directory)).toEqual(noProject);
  spawnSync("git", ["init", "-q"], { cwd: directory });
  expect(await projects.projectOf(directory)).toEqual(noProject);
  await clock.advance(10_000);
  expect(await projects.projectOf(directory)).toEqual(noProject);
  while ((await projects.projectOf(directory)).vcs === undefined) await next();
  expect(await projects.projectOf(directory)).toMatchObject({ worktree: directory, vcs: "git" });
});
