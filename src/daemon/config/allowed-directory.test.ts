import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { configDirectory, thrownBy } from "../../../test/support/daemon/config-directory.ts";
import { resolveLaneDirectory } from "./allowed-directory.ts";

describe("a lane may work", () => {
  test("in an allowed directory itself, and below it", () => {
    const { project, home } = configDirectory();
    mkdirSync(join(project, "a"));
    expect(resolveLaneDirectory(project, { allowed: [project], home })).toBe(project);
    expect(resolveLaneDirectory(join(project, "a/"), { allowed: [project], home })).toBe(join(project, "a"));
  });

  test("below ~, and behind a symlink that stays inside", () => {
    const { root, project, home, env } = configDirectory();
    symlinkSync(project, join(root, "link"));
    expect(resolveLaneDirectory("~/link", { allowed: ["~"], home }, env)).toBe(project);
  });

  test("under an allowed directory that is a symlink", () => {
    const { root, project, home } = configDirectory();
    symlinkSync(project, join(root, "link"));
    expect(resolveLaneDirectory(project, { allowed: [join(root, "link")], home })).toBe(project);
  });

  test("in a directory that Waybill made for it inside the state directory, and nowhere else there", () => {
    const { home } = configDirectory();
    const [work, beside] = [join(home, "demo", "work"), join(home, "demo", "beside")];
    for (const path of [work, beside]) mkdirSync(path, { recursive: true });
    const rules = { allowed: [], home, ownLanes: [work] };
    expect(resolveLaneDirectory(work, rules)).toBe(work);
    expect(thrownBy(() => resolveLaneDirectory(beside, rules))).toMatchObject({ code: "directory_not_allowed" });
  });

  test("anywhere if the root is allowed", () => {
    const { project, home } = configDirectory();
    expect(resolveLaneDirectory(project, { allowed: ["/"], home })).toBe(project);
  });
});

describe("a lane may not work", () => {
  const refused = (path: string, rules: { allowed: string[]; home: string }) =>
    thrownBy(() => resolveLaneDirectory(path, rules));

  test("in a sibling whose name starts with the name of an allowed directory", () => {
    const { project, home } = configDirectory();
    mkdirSync(`${project}-old`);
    const error = refused(`${project}-old`, { allowed: [project], home });
    expect(error).toMatchObject({ code: "directory_not_allowed", hint: expect.stringContaining("allowedDirectories") });
  });

  test("above an allowed directory, even by a roundabout path", () => {
    const { root, project, home } = configDirectory();
    for (const path of [root, `${project}/..`]) {
      expect(refused(path, { allowed: [project], home })).toMatchObject({ code: "directory_not_allowed" });
    }
  });

  test("behind a symlink that leads out", () => {
    const { project, home } = configDirectory();
    symlinkSync("/", join(project, "out"));
    expect(refused(join(project, "out"), { allowed: [project], home })).toMatchObject({
      code: "directory_not_allowed",
    });
  });

  test("in the state directory, however it is named", () => {
    const { root, home } = configDirectory();
    mkdirSync(join(home, "work"), { recursive: true });
    symlinkSync(home, join(root, "state"));
    const rules = { allowed: [root], home };
    for (const path of [home, join(home, "work"), join(root, "state", "work")]) {
      expect(refused(path, rules)).toMatchObject({
        code: "directory_not_allowed",
        message: expect.stringMatching(/its state/),
      });
    }
    expect(refused(join(home, "work"), { allowed: [root], home: join(root, "state") })).toMatchObject({
      code: "directory_not_allowed",
    });
  });

  test("in a state directory that is a symlink to nothing yet", () => {
    const { root, project } = configDirectory();
    symlinkSync(project, join(root, "link"));
    mkdirSync(join(project, "state"));
    const rules = { allowed: [root], home: join(root, "link", "state", "below") };
    expect(resolveLaneDirectory(join(project, "state"), rules)).toBe(join(project, "state"));
    mkdirSync(join(project, "state", "below"));
    expect(refused(join(project, "state", "below"), rules)).toMatchObject({ code: "directory_not_allowed" });
  });

  test("in a directory that does not exist, or in a file", () => {
    const { root, project, home } = configDirectory();
    writeFileSync(join(root, "file"), "");
    symlinkSync(join(root, "gone"), join(root, "dangling"));
    for (const name of ["gone", "file", "file/below", "dangling"]) {
      expect(refused(join(root, name), { allowed: [root], home })).toMatchObject({ code: "directory_missing" });
    }
    rmSync(project, { recursive: true });
    expect(refused(project, { allowed: [root], home })).toMatchObject({ code: "directory_missing" });
  });

  test("at a relative path, or if nothing is allowed", () => {
    const { project, home } = configDirectory();
    expect(refused("project", { allowed: ["/"], home })).toMatchObject({ code: "directory_not_allowed" });
    expect(refused(project, { allowed: [], home })).toMatchObject({ code: "directory_not_allowed" });
    expect(refused(project, { allowed: [`${project}/none`], home })).toMatchObject({ code: "directory_not_allowed" });
  });
});
