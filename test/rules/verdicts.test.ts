/** The corpus in test/corpus, judged as `npm run verdicts` does. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { casesIn, judgeCase, labels, reportOn } from "../support/verdicts.ts";

const folder = fileURLToPath(new URL("../corpus/", import.meta.url));
const cases = readdirSync(folder)
  .filter((name) => name.endsWith(".jsonl"))
  .flatMap((name) => casesIn(readFileSync(folder + name, "utf8")));
const report = reportOn(cases);

test("corpus: there are enough cases, each with an id, a label and a reason of its own", () => {
  expect(cases.length).toBeGreaterThanOrEqual(600);
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  expect(cases.filter(({ why, expect: label }) => why.trim() === "" || !labels.includes(label))).toEqual([]);
});

test("corpus: nothing that is no answer is taken for one", () => {
  expect(report.falselyAnswered.map(({ case: one, reason }) => [one.id, reason])).toEqual([]);
});

test("corpus: at most one answer in a hundred is asked for again needlessly", () => {
  const needless = report.needless.map(({ case: one, reason }) => [one.id, reason]);
  expect(needless.length / report.answers, JSON.stringify(needless)).toBeLessThanOrEqual(0.01);
});

test("corpus: a case of every label is judged as such", () => {
  expect(new Set(cases.map(judgeCase).map(({ label }) => label))).toEqual(new Set(labels));
});
