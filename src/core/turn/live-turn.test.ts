import { expect, test } from "vitest";
import type { LiveTurn } from "./bounded-event.ts";
import { boundedTurn, maxEventCharacters } from "./bounded-event.ts";
import type { Item, Part } from "./item.ts";

function open(id: string, ...texts: string[]): Item {
  const parts = texts.map((text, index): Part => ({ type: "text", id: `p${index}`, text }));
  return { id, kind: "message", role: "assistant", name: null, parent: null, status: "in_progress", parts };
}

const live = (...items: Item[]): LiveTurn => ({ turn: 3, startedAt: 1000, items, cut: [] });
const size = ({ items }: LiveTurn) => JSON.stringify(items).length;

test("a turn that fits is shown unchanged", () => {
  const turn = live(open("a", "x".repeat(200_000)), open("b", "y".repeat(50_000)));
  expect(boundedTurn(turn)).toBe(turn);
});

test("long texts are cut with their full length reported, and short ones shown in full", () => {
  const turn = live(open("a", "x".repeat(300_000), "short"), open("b", "y".repeat(100)));
  const shown = boundedTurn(turn);
  expect(size(shown)).toBeLessThanOrEqual(maxEventCharacters);
  expect(shown).toMatchObject({ turn: 3, startedAt: 1000, cut: [{ item: "a", part: "p0", length: 300_000 }] });
  const [long, short] = shown.items[0]?.parts ?? [];
  const kept = 64 * 1024;
  const text = `${"x".repeat(kept)} [cut: ${300_000 - kept} characters more]`;
  expect([long, short]).toEqual([
    { type: "text", id: "p0", text },
    { type: "text", id: "p1", text: "short" },
  ]);
  expect(shown.items[1]).toEqual(turn.items[1]);
});

test("very many items are shown without parts, and every text is reported as cut", () => {
  const items = Array.from({ length: 1500 }, (_, index) => open(`a${index}`, "x".repeat(400)));
  const shown = boundedTurn(live(...items));
  expect(size(shown)).toBeLessThanOrEqual(maxEventCharacters);
  expect(shown.items.map(({ id, parts }) => [id, parts.length])).toEqual(items.map(({ id }) => [id, 0]));
  expect(shown.cut).toEqual(items.map(({ id }) => ({ item: id, part: "p0", length: 400 })));
});
