import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");

describe("docs/invariants.md", () => {
  const rows = read("docs/invariants.md")
    .split("\n")
    .filter((line) => line.startsWith("| ") && line.includes(".ts`"))
    .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| |[ `|]+$|`/g, "").trim()))
    .map(([invariant = "", name = "", file = ""]) => ({ invariant, name, file }));

  test("lists a good number of them", () => {
    expect(rows.length).toBeGreaterThan(30);
  });

  test.each(rows)("$invariant", ({ name, file }) => {
    expect(read(file)).toContain(`"${name}"`);
  });
});

describe("links between documents", () => {
  const documents = [
    "README.md",
    ...readdirSync(join(root, "docs"), { recursive: true }).map((name) => `docs/${name}`),
  ];

  test.each(documents.filter((path) => path.endsWith(".md")))("%s leads somewhere", (path) => {
    const links = [...read(path).matchAll(/\]\(([^)#:]+)\)/g)].map((match) => match[1] ?? "");
    const dead = links.filter((link) => !existsSync(join(root, dirname(path), link)));
    expect(dead).toEqual([]);
  });
});
