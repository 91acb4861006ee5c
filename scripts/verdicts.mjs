/**
 * Judges every case of the corpus in test/corpus: prints the confusion matrix and every miss with its reason. Ends with 1
 * when something was taken for an answer that is none, or when more than one answer in a hundred would be asked for again.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const { outputFiles } = await build({
  entryPoints: [`${root}test/support/verdicts.ts`],
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
print("Taken for an answer, and none", falselyAnswered);
print("Asked for again needlessly", needless);
print("No answer, for another reason", otherReason);
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
