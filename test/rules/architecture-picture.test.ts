/** The drawing in docs/architecture.md shows every room, and its arrows are true of the imports. */
import { readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, test } from "vitest";
import { readText, root } from "../support/rules/cited-tests.ts";

type Arrow = { from: string; to: string; kind: string };
type Picture = { rooms: Map<string, string>; arrows: Arrow[] };

/** Rooms by their name in the drawing, as `http["src/transports/http: the API"]`, and arrows between them. */
function parsePicture(text: string): Picture {
  const rooms = new Map<string, string>();
  const arrows: Arrow[] = [];
  for (const line of text.split("\n")) {
    const [, name, room] = /^\s*(\w+)\["([\w/-]+): [^"]+"\]$/.exec(line) ?? [];
    if (name && room) rooms.set(name, room);
    const [, from, kind, to] = /^\s*(\w+) (-->|==>|-\.->)(?:\|[^|]+\|)? (\w+)$/.exec(line) ?? [];
    if (from && kind && to) arrows.push({ from, to, kind });
  }
  return { rooms, arrows };
}

function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes(".test.") && !name.startsWith("node_modules/"))
    .map((name) => posix.join(folder, name));
}

const clientPackage = /from "waybill\/client"/;

/** Whether a file in `from` imports one in `to`; types count. The page imports the client by the name of its package. */
function imports(from: string, to: string): boolean {
  return sourcesIn(from).some((path) => {
    const text = readText(path);
    if (to === "src/client" && clientPackage.test(text)) return true;
    return [...text.matchAll(/(?:from |import\()"(\.[^"]+)"/g)].some(([, target = ""]) =>
      posix.join(posix.dirname(path), target).startsWith(`${to}/`),
    );
  });
}

const drawing = /```mermaid\n([\s\S]*?)```/.exec(readText("docs/architecture.md"))?.[1] ?? "";
const { rooms, arrows } = parsePicture(drawing);
const room = (name: string) => rooms.get(name) ?? `no room is called ${name}`;

test("every folder of the source is a room of the drawing", () => {
  const folders = (parent: string) =>
    readdirSync(join(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${parent}/${name}`);
  const expected = [...folders("src").filter((name) => name !== "src/transports"), ...folders("src/transports"), "web"];
  expect([...rooms.values()].toSorted()).toEqual(expected.toSorted());
});

test("every room has an arrow, and every arrow a room at both ends", () => {
  const ends = arrows.flatMap(({ from, to }) => [from, to]);
  expect(new Set(ends)).toEqual(new Set(rooms.keys()));
});

describe("arrows", () => {
  test.each(arrows.filter(({ kind }) => kind !== "-.->"))("$from imports $to", ({ from, to }) => {
    expect(imports(room(from), room(to))).toBe(true);
  });

  test.each(arrows.filter(({ kind }) => kind === "-.->"))("$from does not know $to", ({ from, to }) => {
    expect(imports(room(from), room(to))).toBe(false);
  });
});

test("a wrong arrow is found", () => {
  expect(imports("src/core", "src/store")).toBe(false);
  expect(imports("src/service", "src/store")).toBe(true);
});
