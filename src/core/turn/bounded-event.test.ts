import { expect, test } from "vitest";
import { anEvent } from "../../../test/support/core/events.ts";
import { universalEventSchema } from "../../../test/support/rules/event-schema.ts";
import { bounded, maxEventCharacters } from "./bounded-event.ts";
import type { EventBody, UniversalEvent } from "./universal-event.ts";

const result = (output: string): EventBody => ({
  type: "item.completed",
  data: {
    item: {
      ...{ id: "result:c1", kind: "tool_result", role: null, name: "bash", parent: "call:c1", status: "completed" },
      parts: [{ type: "tool_result", call: "c1", name: "bash", output, isError: false, rejected: false }],
    },
  },
});
const outputOf = ({ event }: { event: UniversalEvent }) => {
  const [part] = event.type === "item.completed" ? event.data.item.parts : [];
  return part?.type === "tool_result" ? part.output : "";
};

test("an event of normal size is unchanged", () => {
  const event = anEvent({ seq: 1 }, result("fine"));
  expect(bounded(event)).toEqual({ event, text: JSON.stringify(event) });
});

test("a huge output is cut, with a note of how much is missing", () => {
  const cut = bounded(anEvent({ seq: 1 }, result("x".repeat(10_000_000))));
  expect(outputOf(cut)).toBe(`${"x".repeat(65_536)} [cut: ${10_000_000 - 65_536} characters more]`);
});

test("a surrogate pair is not split", () => {
  const cut = bounded(anEvent({ seq: 1 }, result(`x${"\u{1F600}".repeat(300_000)}`)));
  expect(outputOf(cut)).toMatch(/^x(\u{1F600})+ \[cut: \d+ characters more\]$/u);
});

test.each<[string, unknown]>([
  ["many texts", Array.from({ length: 5000 }, () => "x".repeat(1000))],
  ["many keys", Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key${index}`, index]))],
  ["a long key", { ["k".repeat(500_000)]: 1 }],
  ["deep and wide", Array.from({ length: 60 }, () => Array.from({ length: 60 }, () => ["y".repeat(5000)]))],
  ["control characters, which JSON escapes as six", "\u0001".repeat(300_000)],
])("%s fit after cutting, and the event stays valid", (_, value) => {
  const said: EventBody = { type: "permission.requested", data: { ask: "a", title: "t", call: null, detail: value } };
  const { event, text } = bounded(anEvent({ seq: 1 }, said));
  expect(text.length).toBeLessThanOrEqual(maxEventCharacters);
  expect(JSON.parse(text)).toEqual(event);
  expect(universalEventSchema.safeParse(event).error).toBeUndefined();
});

test("an event that cannot be cut enough is kept as unparsed", () => {
  const part = { type: "json" as const, id: "p".repeat(250), value: Array.from({ length: 30 }, () => "z".repeat(256)) };
  const item = { id: "i", kind: "plan" as const, role: null, name: null, parent: null, status: "completed" as const };
  const value = Array.from({ length: 30 }, () => part.value);
  const parts = Array.from({ length: 30 }, () => ({ ...part, value }));
  const { event } = bounded(anEvent({ seq: 1 }, { type: "item.completed", data: { item: { ...item, parts } } }));
  expect(event).toMatchObject({ type: "unparsed", seq: 1 });
});
