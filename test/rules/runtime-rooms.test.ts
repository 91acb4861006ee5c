/** Every runtime's folder has the same rooms: files or folders whose names mean the same in all of them. */
import { readdirSync, readFileSync } from "node:fs";
import { parse } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runtimeKinds } from "../../src/runtimes/registry.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The rooms of a runtime by its files: `client.ts` and `client/` are the same room. */
function roomsOf(kind: string): string[] {
  const paths = readdirSync(`${root}src/runtimes/${kind}`, { recursive: true, encoding: "utf8" });
  const sources = paths.filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"));
  return [...new Set(sources.map((path) => parse(path.split("/")[0] ?? "").name))].sort();
}

/** The table in docs/architecture.md: by room, the runtimes that have it. `more` are rooms of a single runtime. */
function documentedRooms(): { rooms: Map<string, string[]>; more: Map<string, string[]> } {
  const text = readFileSync(`${root}docs/architecture.md`, "utf8");
  const table = text.split("| room | what is in it |")[1]?.split("\n\n")[0] ?? "";
  const [head = "", , ...lines] = table.split("\n").filter((line) => line.trim() !== "");
  const kinds = cells(head);
  const rows = lines.map((line) => cells(line));
  const rooms = new Map(
    rows.map(([room = "", , ...has]) => [name(room), kinds.filter((_, index) => has[index] === "yes")]),
  );
  const last = rows.at(-1) ?? [];
  rooms.delete(name(last[0] ?? ""));
  const more = kinds.map((kind, index): [string, string[]] => [
    kind,
    [...(last[index + 2] ?? "").matchAll(/`(.+?)`/g)].map(([, one = ""]) => one),
  ]);
  return { rooms, more: new Map(more) };
}

const cells = (line: string) =>
  line
    .split("|")
    .map((cell) => cell.trim())
    .filter((cell) => cell !== "");
const name = (cell: string) => cell.replaceAll("`", "");

test("the table of rooms names every runtime", () => {
  expect([...documentedRooms().more.keys()]).toEqual(runtimeKinds);
});

test.each(runtimeKinds)("the folder of %s has the rooms that the table says, and no others", (kind) => {
  const { rooms, more } = documentedRooms();
  const documented = [...rooms].filter(([, kinds]) => kinds.includes(kind)).map(([room]) => room);
  expect(rooms.size).toBeGreaterThan(8);
  expect([...documented, ...(more.get(kind) ?? [])].sort()).toEqual(roomsOf(kind));
});
