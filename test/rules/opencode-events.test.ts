/** docs/opencode-api.md states for every OpenCode event type whether Waybill sends it, and the source agrees. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const document = readFileSync(new URL("docs/opencode-api.md", root), "utf8");
const [, coverage = ""] = document.split("## Events: coverage\n");
const [sent = "", notSent = ""] = (coverage.split("\n## ")[0] ?? "").split("What is not, and why:");

/** The names in the first column; `*` stands for any ending. */
function namedIn(section: string): string[] {
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  return rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
}

function nativeTypes(): string[] {
  const types = readFileSync(new URL("node_modules/@opencode-ai/sdk/dist/v2/gen/types.gen.d.ts", root), "utf8");
  const [, union = ""] = /^export type Event = (.*?);/m.exec(types) ?? [];
  const names = union.split("|").map((name) => name.trim());
  return names.map((name) => {
    const [, type = name] = new RegExp(`^export type ${name} = \\{.*?type: "([^"]+)"`, "ms").exec(types) ?? [];
    return type;
  });
}

const fits = (name: string, type: string) => (name.endsWith("*") ? type.startsWith(name.slice(0, -1)) : name === type);

test("every OpenCode event type is in the table once", () => {
  const all = [...namedIn(sent), ...namedIn(notSent)];
  const types = nativeTypes();
  expect(types.length).toBeGreaterThan(80);
  const counts = types.map((type) => [type, all.filter((name) => fits(name, type)).length] as const);
  expect(counts.filter(([, count]) => count !== 1)).toEqual([]);
  expect(all.filter((name) => !types.some((type) => fits(name, type)))).toEqual([]);
});

test("the source sends exactly the events in the table", () => {
  const folder = new URL("src/transports/opencode-api/", root);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
  );
  const source = files.map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n");
  const said = nativeTypes().filter((type) => source.includes(`"${type}"`));
  expect(said.sort()).toEqual(namedIn(sent).sort());
});
