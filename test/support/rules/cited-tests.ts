/** The tests that the documents cite for their claims. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../..", import.meta.url));
export const readText = (path: string) => readFileSync(join(root, path), "utf8");

/** `name` occurs in one of `files` as in the source, with its placeholders. */
export type CitedTest = { document: string; claim: string; name: string; files: string[] };

/** The programs whose documents have a table "What was tried", and the files with its tests. */
export const triedIn = {
  opencode: [
    "test/long/opencode-facts.test.ts",
    ...["choice", "faults", "fixtures", "follow-ups", "runtime", "sessions"].map(
      (topic) => `test/e2e/opencode-${topic}.test.ts`,
    ),
  ],
  claude: ["test/long/claude-facts.test.ts"],
  pi: ["test/long/pi-facts.test.ts", "test/e2e/pi-extension.test.ts"],
};

/**
 * The facts about each runtime's program that `npm run test:long` confirmed, and for which version: its passed tests, by
 * file.
 */
export const confirmedFacts: Record<string, { version: string; files: Record<string, string[]> }> = JSON.parse(
  readText("test/long/confirmed-facts.json"),
);

export type Program = keyof typeof triedIn;

/** Rows of a document's tables that end in a test's name and its file. */
export function citedWithFile(document: string): CitedTest[] {
  return rowsOf(readText(document))
    .filter((cells) => cells.at(-1)?.endsWith(".ts"))
    .map((cells) => ({ document, claim: cells[0] ?? "", name: cells.at(-2) ?? "", files: [cells.at(-1) ?? ""] }));
}

/** Rows of the table "What was tried", which end in a test's name. */
export function citedAsTried(program: Program): CitedTest[] {
  const document = `docs/${program}.md`;
  const section = readText(document).split("## What was tried\n")[1]?.split("\n## ")[0] ?? "";
  return rowsOf(section)
    .slice(1)
    .map((cells) => ({ document, claim: cells[0] ?? "", name: cells.at(-1) ?? "", files: triedIn[program] }));
}

/** The names of a file's tests, as in the source. */
export function testsIn(file: string): string[] {
  const named = readText(file).matchAll(/\btest(?:\.each(?:<.*?>)?\(.*?\))?\(\s*"([^"]+)"/gs);
  return [...named].map((match) => match[1] ?? "");
}

/** For a test's name as in the source: `%s` and its like, and `$name`, are filled in by the run. */
export function patternOf(name: string): RegExp {
  const parts = name.split(/%[a-zA-Z]|\$[\w.]+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s");
}

function rowsOf(text: string): string[][] {
  const rows = text.match(/^\| .* \|$/gm) ?? [];
  return rows.map((row) =>
    row
      .slice(2, -2)
      .split(" | ")
      .map((cell) => cell.trim().replace(/^`([^`]*)`$/, "$1")),
  );
}
