/**
 * The tests of facts about agent programs (test/long) do not run with `npm test`. They count as passed if they did with
 * the version that is tested now.
 */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runtimeDescriptors } from "../../src/runtimes/registry.ts";
import { confirmedFacts, patternOf, root, testsIn } from "../support/rules/cited-tests.ts";

const remedy = "Run `npm run test:long -- facts`, which records the facts that passed.";
const kinds = runtimeDescriptors.filter(({ program }) => program !== null).map(({ kind }) => kind);
const factsOf = (kind: string) =>
  readdirSync(`${root}/test/long`)
    .filter((name) => name.startsWith(`${kind}-`) && name.endsWith("-facts.test.ts"))
    .map((name) => `test/long/${name}`);

test.each(kinds)("the facts about %s are confirmed for its tested version", (kind) => {
  const { testedVersion } = JSON.parse(readFileSync(`${root}/src/runtimes/${kind}/program.json`, "utf8"));
  expect(confirmedFacts[kind]?.version, remedy).toBe(testedVersion);
});

test.each(kinds.flatMap((kind) => factsOf(kind).map((file) => [file, kind] as const)))(
  "every test in %s is confirmed",
  (file, kind) => {
    const confirmed = confirmedFacts[kind]?.files[file] ?? [];
    const tests = testsIn(file);
    expect(tests).not.toEqual([]);
    expect(
      tests.filter((name) => !confirmed.some((title) => patternOf(name).test(title))),
      remedy,
    ).toEqual([]);
  },
);

test("each program has facts", () => {
  expect(kinds.filter((kind) => factsOf(kind).length === 0)).toEqual([]);
});
