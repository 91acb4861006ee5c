/**
 * The last step of `npm test`: every test that a document cites has passed in the runs before it, or is a fact that was
 * confirmed for the tested version of its program (test/rules/confirmed-facts.test.ts).
 */
import { relative } from "node:path";
import { describe, expect, test } from "vitest";
import type { CitedTest } from "../support/rules/cited-tests.ts";
import {
  citedAsTried,
  citedWithFile,
  confirmedFacts,
  patternOf,
  readText,
  root,
} from "../support/rules/cited-tests.ts";

type Report = {
  testResults: {
    name: string;
    assertionResults: { title: string; ancestorTitles: string[]; status: string }[];
  }[];
};

const run = ["fast", "e2e"].flatMap((project) =>
  (JSON.parse(readText(`reports/${project}.json`)) as Report).testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ title, ancestorTitles, status }) => ({
      file: relative(root, name),
      titles: [...ancestorTitles, title],
      status,
    })),
  ),
);

const confirmed = Object.values(confirmedFacts).flatMap(({ files }) =>
  Object.entries(files).flatMap(([file, titles]) =>
    titles.map((title) => ({ file, titles: [title], status: "passed" })),
  ),
);
const results = [...run, ...confirmed];

const cited = [
  ...["invariants", "teams", "comparison", "telegram", "opencode", "claude", "pi"].flatMap((name) =>
    citedWithFile(`docs/${name}.md`),
  ),
  ...(["opencode", "claude", "pi"] as const).flatMap(citedAsTried),
];

/** A machine that cannot mount a small disk skips what needs one; CI may not. */
const accepted = process.env.CI ? ["passed"] : ["passed", "skipped", "pending"];

describe("a test that the documents cite has passed", () => {
  test.each(cited)("$document: $name", (row) => {
    const found = resultsOf(row);
    expect(found, "not in the report of the run").not.toEqual([]);
    expect(found.filter(({ status }) => !accepted.includes(status))).toEqual([]);
  });
});

/** A name may be that of a whole `describe`. A suite that several files run is itself in none of the report's files. */
function resultsOf({ name, files }: CitedTest) {
  const pattern = patternOf(name);
  const inSuite = files.some((file) => !file.endsWith(".test.ts"));
  return results.filter(
    ({ file, titles }) => (inSuite || files.includes(file)) && titles.some((title) => pattern.test(title)),
  );
}
