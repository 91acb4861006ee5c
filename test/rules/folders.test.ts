/** Folders stay small, and sibling folders have no import cycles, including type imports. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const generated = "src/client/api-types.ts";
const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .map((name) => `src/${name}`)
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && path !== generated);
const source = new Map(files.map((path) => [path, readFileSync(join(root, path), "utf8")]));

test("no folder directly contains more than 25 source files", () => {
  const counts = new Map<string, number>();
  for (const path of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > 25)).toEqual([]);
});

test("no source file has more than 400 lines", () => {
  expect([...source].filter(([, text]) => text.split("\n").length > 401).map(([path]) => path)).toEqual([]);
});

/** Which folders import which, by their common parent: only siblings are compared. */
function siblingImports(sources: ReadonlyMap<string, string>): Map<string, Map<string, Set<string>>> {
  const found = new Map<string, Map<string, Set<string>>>();
  for (const [path, text] of sources) {
    for (const [, one, other] of text.matchAll(
      /^(?:import|export)\s[^;]*?from\s+"(\.[^"]+)"|import\("(\.[^"]+)"\)/gm,
    )) {
      const from = dirname(path).split("/");
      const to = dirname(normalize(join(dirname(path), one ?? other ?? ""))).split("/");
      const common = from.findIndex((name, index) => name !== to[index]);
      const [importing, imported] = [from[common], to[common]];
      if (common === -1 || importing === undefined || imported === undefined) continue;
      const parent = from.slice(0, common).join("/");
      const folders = found.get(parent) ?? new Map<string, Set<string>>();
      folders.set(importing, (folders.get(importing) ?? new Set()).add(imported));
      found.set(parent, folders);
    }
  }
  return found;
}

function cyclesIn(folders: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean => {
    if (seen.has(from)) return false;
    seen.add(from);
    return [...(folders.get(from) ?? [])].some((next) => next === to || reaches(next, to, seen));
  };
  return [...folders.keys()].filter((folder) => reaches(folder, folder));
}

describe("no cycles between folders", () => {
  const imports = siblingImports(source);

  test.each([...imports.keys()])("in %s", (parent) => {
    expect(cyclesIn(imports.get(parent) ?? new Map())).toEqual([]);
  });

  test("a cycle through a type import is found", () => {
    const sources = new Map([
      ["src/a/one.ts", 'import type { Two } from "../b/two.ts";\n'],
      ["src/b/two.ts", 'import { three } from "./deep/three.ts";\n'],
      ["src/b/deep/three.ts", 'import { one } from "../../a/one.ts";\n'],
    ]);
    expect(cyclesIn(siblingImports(sources).get("src") ?? new Map()).sort()).toEqual(["a", "b"]);
  });
});
