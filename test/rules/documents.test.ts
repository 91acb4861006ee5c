import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Program } from "../support/rules/cited-tests.ts";
import { citedAsTried, citedWithFile, readText, root, testsIn, triedIn } from "../support/rules/cited-tests.ts";

/**
 * The last step of `npm test` (test/cited) checks that a cited test also passed. This finds a wrong name immediately.
 */
describe.each([
  { document: "docs/invariants.md", atLeast: 150 },
  { document: "docs/teams.md", atLeast: 102 },
  { document: "docs/telegram.md", atLeast: 20 },
  { document: "docs/comparison.md", atLeast: 38 },
  { document: "docs/opencode.md", atLeast: 20 },
  { document: "docs/claude.md", atLeast: 9 },
  { document: "docs/pi.md", atLeast: 7 },
])("$document", ({ document, atLeast }) => {
  const rows = citedWithFile(document);

  test("cites tests for its claims", () => {
    expect(rows.length).toBeGreaterThanOrEqual(atLeast);
  });

  test.each(rows)("$claim", ({ name, files: [file = ""] }) => {
    expect(readText(file)).toContain(`"${name}"`);
  });
});

describe.each<{ program: Program; atLeast: number }>([
  { program: "opencode", atLeast: 9 },
  { program: "claude", atLeast: 16 },
  { program: "pi", atLeast: 7 },
])("citations of tests with $program", ({ program, atLeast }) => {
  const cited = citedAsTried(program);

  test("every cited test exists", () => {
    const sources = triedIn[program].map(readText).join("\n");
    expect(cited.length).toBeGreaterThanOrEqual(atLeast);
    expect(cited.filter(({ name }) => !sources.includes(`"${name}"`))).toEqual([]);
  });
});

test.each(["claude", "pi"] as const)("docs/%s.md cites every test of its facts", (program) => {
  const tests = triedIn[program].flatMap(testsIn);
  const cited = citedAsTried(program).map(({ name }) => name);
  expect(cited.toSorted()).toEqual(tests.toSorted());
});

describe("links between documents", () => {
  const documents = [
    "README.md",
    ...readdirSync(join(root, "docs"), { recursive: true }).map((name) => `docs/${name}`),
  ];

  test.each(documents.filter((path) => path.endsWith(".md")))("every link in %s has a target", (path) => {
    const links = [...readText(path).matchAll(/\]\(([^)#:]+)\)/g)].map((match) => match[1] ?? "");
    const dead = links.filter((link) => !existsSync(join(root, dirname(path), link)));
    expect(dead).toEqual([]);
  });
});
