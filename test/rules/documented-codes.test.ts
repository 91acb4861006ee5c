import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { explainedReasons } from "../../src/core/delivery/reasons.ts";
import { alertKinds } from "../../src/core/delivery/record.ts";
import { codesByStatus } from "../../src/transports/http/errors.ts";
import { readText, root } from "../support/rules/cited-tests.ts";

/** Where a person looks up a code. */
const documents = ["docs/operations.md", "docs/api.md", "docs/command-line.md"].map(readText).join("\n");

/** Tests, and a file that is generated. */
const skipped = /\.test\.ts$|^client\/api-types\.ts$/;

const code = /^[a-z]+(?:_[a-z]+)*$/;

/** The strings that a field `code` can get in this text, both branches of a conditional included. */
function codesIn(text: string): string[] {
  const found: string[] = [];
  if (!text.includes("code:")) return found;
  const collect = (value: ts.Expression) => {
    if (ts.isStringLiteralLike(value) && code.test(value.text)) found.push(value.text);
    if (!ts.isConditionalExpression(value)) return;
    collect(value.whenTrue);
    collect(value.whenFalse);
  };
  const visit = (node: ts.Node) => {
    if (ts.isPropertyAssignment(node) && node.name.getText() === "code") collect(node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("file.ts", text, ts.ScriptTarget.Latest, true));
  return found;
}

function isDocumented(one: string): boolean {
  return new RegExp(`\`${one}(?![a-z_])`).test(documents);
}

test("finds the codes of errors and notices", () => {
  const text = `f({ code: "no_daemon" }); const a = { code: b ? "one" : "two" }; if (c.code === "three") d({ code: e, x: "four" });`;
  expect(codesIn(text)).toEqual(["no_daemon", "one", "two"]);
});

test("every code of an error or a notice is in a document", () => {
  const source = join(root, "src");
  const paths = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !skipped.test(path),
  );
  const codes = paths.flatMap((path) =>
    // The bot's problems become notices with its name in front.
    codesIn(readFileSync(join(source, path), "utf8")).map((one) =>
      path.startsWith("transports/telegram/") && isDocumented(`telegram_${one}`) ? `telegram_${one}` : one,
    ),
  );
  expect(codes.length).toBeGreaterThan(150);
  expect([...new Set(codes)].filter((one) => !isDocumented(one))).toEqual([]);
});

test.each([
  ["code of the HTTP API", Object.values(codesByStatus).flat()],
  ["reason that has words", explainedReasons],
  ["kind of alert", alertKinds],
])("every %s is in a document", (_, codes) => {
  expect(codes.filter((one) => !isDocumented(one))).toEqual([]);
});
