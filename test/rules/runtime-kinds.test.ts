import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";
import { runtimeKinds } from "../../src/runtimes/registry.ts";

const source = fileURLToPath(new URL("../../src/", import.meta.url));

/** Where any runtime's kind may appear; each runtime's own folder may also name its kind. */
const allowed = [/^daemon\/demo\//, /^transports\/opencode-api\//];
/** Generated from the OpenAPI document, whose list of runtimes comes from the registry. */
const generated = "client/api-types.ts";

/** String literals and property names in a text that are a runtime's kind, with their lines. */
function kindsIn(text: string): { kind: string; line: number }[] {
  const file = ts.createSourceFile("file.ts", text, ts.ScriptTarget.Latest, true);
  const found: { kind: string; line: number }[] = [];
  const visit = (node: ts.Node) => {
    const isName = ts.isIdentifier(node) && ts.isPropertyAssignment(node.parent) && node.parent.name === node;
    if ((ts.isStringLiteralLike(node) || isName) && runtimeKinds.includes(node.text)) {
      found.push({ kind: node.text, line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return found;
}

test("finds literals and property names, but not prose", () => {
  const text = `const a = "opencode";\n// "pi"\nconst b = { claude: \`stub\` };\nconst c = "OpenCode is opencode";`;
  expect(kindsIn(text)).toEqual([
    { kind: "opencode", line: 1 },
    { kind: "claude", line: 3 },
    { kind: "stub", line: 3 },
  ]);
});

test("no runtime's kind appears as a literal outside its folder, the registry, the demo and the OpenCode API", () => {
  const paths = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && path !== generated,
  );
  expect(paths.length).toBeGreaterThan(100);
  const offending = paths
    .filter((path) => !allowed.some((one) => one.test(path)))
    .flatMap((path) =>
      kindsIn(readFileSync(`${source}/${path}`, "utf8"))
        .filter(({ kind }) => !path.startsWith(`runtimes/${kind}/`))
        .map(({ kind, line }) => `src/${path}:${line} "${kind}"`),
    );
  expect(offending).toEqual([]);
});
