import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Rows of tables that end in a test's name and the file in which it is. */
function citedTests(document: string): { claim: string; name: string; file: string }[] {
  return read(document)
    .split("\n")
    .filter((line) => line.startsWith("| ") && line.includes(".ts`"))
    .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| |[ `|]+$|`/g, "").trim()))
    .map((cells) => ({ claim: cells[0] ?? "", name: cells.at(-2) ?? "", file: cells.at(-1) ?? "" }));
}

describe.each([
  { document: "docs/invariants.md", atLeast: 30 },
  { document: "docs/opencode.md", atLeast: 20 },
  { document: "docs/claude.md", atLeast: 9 },
  { document: "docs/pi.md", atLeast: 7 },
])("$document", ({ document, atLeast }) => {
  const rows = citedTests(document);

  test("has a good number of rows with a test beside them", () => {
    expect(rows.length).toBeGreaterThan(atLeast);
  });

  test.each(rows)("$claim", ({ name, file }) => {
    expect(read(file)).toContain(`"${name}"`);
  });
});

test("every test that docs/opencode.md cites for what was tried is there", () => {
  const places = ["choice", "facts", "faults", "fixtures", "further", "runtime", "sessions"];
  const files = places.map((name) => read(`test/e2e/opencode-${name}.test.ts`)).join();
  const [, tried = ""] = read("docs/opencode.md").split("## What was tried");
  const rows =
    tried
      .split("## Trouble")[0]
      ?.match(/^\| .* \|$/gm)
      ?.slice(1) ?? [];
  const names = rows.map((row) => row.split(" | ").at(-1)?.replace(/ \|$/, "") ?? "");
  expect(names.length).toBeGreaterThan(8);
  expect(names.filter((name) => !files.includes(`"${name}"`))).toEqual([]);
});

test.each([
  { program: "claude", atLeast: 15 },
  { program: "pi", atLeast: 6 },
])(
  "every test that docs/$program.md cites is there, and every test of these facts is cited",
  ({ program, atLeast }) => {
    const facts = read(`test/e2e/${program}-facts.test.ts`);
    const tests = [...facts.matchAll(/\btest(?:\.each\(.*?\))?\(\s*"([^"]+)"/g)].map((match) => match[1] ?? "");
    const tried = read(`docs/${program}.md`).split("## What was tried")[1]?.split("\n## ")[0] ?? "";
    const rows = tried.match(/^\| .* \|$/gm)?.slice(1) ?? [];
    const cited = rows.map((row) => row.split(" | ").at(-1)?.replace(/ \|$/, "") ?? "");
    expect(cited.length).toBeGreaterThan(atLeast);
    expect(cited.toSorted()).toEqual(tests.toSorted());
  },
);

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
