import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { resolveLaneDirectory } from "../daemon/config/allowed-directory.ts";
import { listDirectories } from "./directories.ts";

/** A disk with `code` allowed, Waybill's state inside it, and `secret` next to it. */
function aDisk(...directories: string[]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "waybill-directories-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const at = (path: string) => join(root, path);
  for (const one of ["code", "code/state/demo/work", "secret/inner", ...directories])
    mkdirSync(at(one), { recursive: true });
  const allowed = [at("code"), at("gone")];
  const rules = { allowed, home: at("code/state"), ownLanes: [at("code/state/demo/work")] };
  const list = (path?: string) =>
    listDirectories(path, {
      resolveDirectory: (one) => resolveLaneDirectory(one, rules),
      allowedDirectories: [...allowed, ...rules.ownLanes],
    });
  const names = async (path?: string) => (await list(path)).directories.map(({ name }) => name);
  return { at, list, names };
}

describe("directories to choose from", () => {
  test("start with the allowed ones that exist, and those that Waybill created for lanes", async () => {
    const { at, list } = aDisk();
    const own = at("code/state/demo/work");
    expect(await list()).toEqual({
      ...{ path: null, parent: null, roots: [at("code"), own], truncated: false },
      directories: [
        { name: "code", path: at("code"), isRepository: false },
        { name: "work", path: own, isRepository: false },
      ],
    });
  });

  test("are listed by name, with repositories marked, up to the topmost allowed one", async () => {
    const { at, list } = aDisk("code/b/.git", "code/a/deep");
    writeFileSync(at("code/file"), "");
    const { directories, ...rest } = await list(at("code"));
    expect(rest).toMatchObject({ path: at("code"), parent: null, truncated: false });
    expect(directories).toEqual([
      { name: "a", path: at("code/a"), isRepository: false },
      { name: "b", path: at("code/b"), isRepository: true },
    ]);
    expect(await list(`${at("code/a")}/../a`)).toMatchObject({ path: at("code/a"), parent: at("code") });
  });

  test("exclude hidden ones, Waybill's own, and links that lead out", async () => {
    const { at, names } = aDisk("code/.cache", "code/a");
    symlinkSync(at("secret"), at("code/out"));
    symlinkSync(at("nowhere"), at("code/broken"));
    symlinkSync(at("code/a"), at("code/inside"));
    expect(await names(at("code"))).toEqual(["a", "inside"]);
    expect(await names(at("code/state/demo/work"))).toEqual([]);
  });

  test.each([
    ["secret", "directory_not_allowed"],
    ["code/state", "directory_not_allowed"],
    ["code/out/inner", "directory_not_allowed"],
    ["code/nothing", "directory_missing"],
    ["code/file", "directory_missing"],
  ])("exclude those in %s", async (path, code) => {
    const { at, list } = aDisk();
    symlinkSync(at("secret"), at("code/out"));
    writeFileSync(at("code/file"), "");
    await expect(list(at(path))).rejects.toMatchObject({ code });
  });

  test("are limited to 500", async () => {
    const many = Array.from({ length: 502 }, (_, index) => `code/many/d${String(index).padStart(3, "0")}`);
    const { at, list } = aDisk(...many);
    const { directories, truncated } = await list(at("code/many"));
    expect([directories.length, directories.at(-1)?.name, truncated]).toEqual([500, "d499", true]);
  });
});
