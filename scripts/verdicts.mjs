/**
 * Judges every case of the corpus in test/corpus: prints the confusion matrix, and every miss with its reason. Exits with 1
 * if something was wrongly taken for an answer, or if more than 1 % of the answers would be asked for again.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const { outputFiles } = await build({
  entryPoints: [`${root}test/support/agents/verdicts.ts`],
  bundle: true,
  write: false,
  platform: "node",
  format: "esm",
});
const { casesIn, labels, reportOn } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
);

const folder = `${root}test/corpus/`;
const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
const cases = names.flatMap((name) => casesIn(readFileSync(folder + name, "utf8")));
const { matrix, needless, falselyAnswered, otherReason, answers } = reportOn(cases);

const width = Math.max(...labels.map((label) => label.length)) + 2;
console.log(`${cases.length} cases in ${names.length} files; rows: the label, columns: the verdict\n`);
console.log(["", ...labels].map((label) => label.padStart(width)).join(""));
for (const label of labels) {
  console.log(
    [label, ...labels.map((verdict) => matrix[label][verdict] || "·")]
      .map((cell) => String(cell).padStart(width))
      .join(""),
  );
}
print("Wrongly taken for an answer", falselyAnswered);
print("Needlessly asked for again", needless);
print("Not an answer, but for another reason", otherReason);
const share = (100 * needless.length) / answers;
console.log(
  `\n${falselyAnswered.length} falsely answered, ${needless.length} of ${answers} answers needlessly asked for again (${share.toFixed(2)} %).`,
);
if (falselyAnswered.length > 0 || share > 1) process.exitCode = 1;

function print(title, missed) {
  if (missed.length === 0) return;
  console.log(`\n${title}:`);
  for (const { case: one, label, reason } of missed) {
    const words = JSON.stringify(one.text ?? one.rows?.at(-1)?.text ?? "").slice(0, 160);
    console.log(`  ${one.id}  ${one.expect} → ${label} (${reason})  ${words}\n      ${one.why}`);
  }
}
