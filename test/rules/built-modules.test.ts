/** Plain programs of the tests and benchmarks import built modules by path, which the compiler does not check. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const programs = ["test", "bench"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".mjs") && !name.includes("node_modules"))
    .map((name) => join(root, folder, name)),
);

test("every built module that a program imports has its source", () => {
  const imports = programs.flatMap((program) =>
    [...readFileSync(program, "utf8").matchAll(/"(\.[^"]*\/build\/[^"]+)\.js"/g)].map(([, path = ""]) => ({
      program: relative(root, program),
      source: `${relative(root, join(dirname(program), path)).replace(/^build/, "src")}.ts`,
    })),
  );
  expect(imports.length).toBeGreaterThan(10);
  const isSource = (path: string) => existsSync(join(root, path)) || path.startsWith("src/packages/");
  expect(imports.filter(({ source }) => !isSource(source))).toEqual([]);
});
