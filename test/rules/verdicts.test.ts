/** Judges the corpus in test/corpus as `npm run verdicts` does. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { casesIn, judgeCase, labels, reportOn } from "../support/agents/verdicts.ts";

const folder = fileURLToPath(new URL("../corpus/", import.meta.url));
const cases = readdirSync(folder)
  .filter((name) => name.endsWith(".jsonl"))
  .flatMap((name) => casesIn(readFileSync(folder + name, "utf8")));
const report = reportOn(cases);

test("corpus: there are enough cases, each with its own id, a label and a reason", () => {
  expect(cases.length).toBeGreaterThanOrEqual(600);
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  expect(cases.filter(({ why, expect: label }) => why.trim() === "" || !labels.includes(label))).toEqual([]);
});

test("corpus: nothing is mistaken for an answer", () => {
  expect(report.falselyAnswered.map(({ case: one, reason }) => [one.id, reason])).toEqual([]);
});

test("corpus: at most one answer in a hundred is asked for again needlessly", () => {
  const needless = report.needless.map(({ case: one, reason }) => [one.id, reason]);
  expect(needless.length / report.answers, JSON.stringify(needless)).toBeLessThanOrEqual(0.01);
});

test("corpus: every label is the verdict of some case", () => {
  expect(new Set(cases.map(judgeCase).map(({ label }) => label))).toEqual(new Set(labels));
});
