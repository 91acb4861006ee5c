import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ClaudeWatcher, fixtureNames, recordedLines } from "../../../../test/support/claude/claude-fixture.ts";
import { eventLines } from "../../../../test/support/core/event-lines.ts";
import type { Draft } from "../../../core/turn/universal-event.ts";
import { lineRule } from "./line-table.ts";

const long = "a-thousand-lines";
const streams = fixtureNames.filter((name) => name !== long).map(recordedLines);

/** One `turn.ended` for each `turn.started` and one end for each item, and no end without a start. */
function expectRules(drafts: readonly Draft[]): void {
  let inTurn = false;
  const open = new Set<string>();
  const over = new Set<string>();
  for (const { type, data } of drafts) {
    if (type === "turn.started" || type === "turn.ended") {
      expect(inTurn).toBe(type === "turn.ended");
      inTurn = type === "turn.started";
    } else if (type === "item.started") {
      expect(over.has(data.item.id) || open.has(data.item.id)).toBe(false);
      open.add(data.item.id);
    } else if (type === "item.completed") {
      expect(open.delete(data.item.id)).toBe(true);
      over.add(data.item.id);
    }
  }
  expect(inTurn).toBe(false);
  expect([...open]).toEqual([]);
}

type Change = {
  at: number;
  how: "drop" | "double" | "swap" | "cut" | "field" | "garbage";
  pick: number;
  value: unknown;
};

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  how: fc.constantFrom("drop", "double", "swap", "cut", "field", "garbage"),
  pick: fc.nat(),
  value: fc.jsonValue({ maxDepth: 2 }),
});

function changed(lines: readonly string[], { at, how, pick, value }: Change): string[] {
  const place = at % Math.max(1, lines.length);
  const [line = "", next = ""] = lines.slice(place, place + 2);
  const instead = {
    drop: [],
    double: [line, line],
    swap: [next, line],
    cut: [line.slice(0, pick % (line.length + 1))],
    field: [withOtherField(line, pick, value)],
    garbage: [line, typeof value === "string" ? value : JSON.stringify(value)],
  }[how];
  return [...lines.slice(0, place), ...instead, ...lines.slice(place + (how === "swap" ? 2 : 1))];
}

/** Replaces one value somewhere in the line. */
function withOtherField(line: string, pick: number, value: unknown): string {
  try {
    const whole = JSON.parse(line);
    const places: [Record<string, unknown>, string][] = [];
    const walk = (node: unknown) => {
      if (node === null || typeof node !== "object") return;
      for (const [key, inner] of Object.entries(node)) {
        places.push([node as Record<string, unknown>, key]);
        walk(inner);
      }
    };
    walk(whole);
    const [node, key] = places[pick % places.length] ?? [{}, ""];
    node[key] = value;
    return JSON.stringify(whole);
  } catch {
    return line;
  }
}

describe("lost, repeated, truncated and malformed lines", () => {
  test("never break the translation, and turns and items still end once each", () => {
    const damaged = fc.tuple(fc.constantFrom(...streams), fc.array(change, { minLength: 1, maxLength: 8 }));
    fc.assert(
      fc.property(damaged, ([lines, changes]) => {
        const watcher = new ClaudeWatcher().sent(lines).receive(changes.reduce(changed, lines));
        expectRules(watcher.take([{ type: "died" }]).drafts);
      }),
      { numRuns: 300 },
    );
  });

  test("never break it when they come from several streams", () => {
    const mixed = fc.array(fc.constantFrom(...streams.flat()), { maxLength: 60 });
    fc.assert(
      fc.property(mixed, (lines) => {
        expectRules(
          new ClaudeWatcher()
            .sent(lines)
            .receive(lines)
            .take([{ type: "died" }]).drafts,
        );
      }),
      { numRuns: 100 },
    );
  });
});

describe("a recorded stream of more than a thousand lines", () => {
  const lines = recordedLines(long);

  test("is one turn, and every line is translated or ignored", () => {
    expect(lines.length).toBeGreaterThan(1000);
    const kinds = lines.map((line) => lineRule(JSON.parse(line)));
    const told = kinds.filter((kind) => kind === "translate").length;
    const silent = kinds.filter((kind) => kind !== null && typeof kind === "object" && "ignore" in kind).length;
    expect({ told, silent, lines: lines.length }).toEqual({ told: 975, silent: 313, lines: told + silent });
    const { kept } = new ClaudeWatcher().sent(lines).receive(lines);
    expectRules(kept);
    const count = (text: string) => eventLines(kept).filter((line) => line.startsWith(text)).length;
    expect([count("turn.started"), count("message ends"), count("tool_call"), count("tool_result")]).toEqual([
      1, 53, 52, 52,
    ]);
    expect([count("unparsed"), count("turn.ended completed"), count("usage of message")]).toEqual([0, 1, 53]);
  });

  test("reports a broken line after every tenth line, and the rest as before", () => {
    const broken = lines.flatMap((line, index) =>
      index % 10 === 0 ? [line, line.slice(0, -7), "oops", '{"type":4}'] : [line],
    );
    const watcher = new ClaudeWatcher().sent(lines).receive(broken);
    const unparsed = watcher.kept.filter(({ type }) => type === "unparsed");
    expect(unparsed.length).toBe(broken.length - lines.length);
    expect(unparsed.every(({ raw }) => raw !== undefined)).toBe(true);
    const rest = watcher.kept.filter(({ type }) => type !== "unparsed");
    expect(rest).toEqual(new ClaudeWatcher().sent(lines).receive(lines).kept);
  });
});
