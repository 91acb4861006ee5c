/** The examples in docs/events.md are valid events, with at least one of each type. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { turnEndReasons } from "../../src/core/turn/universal-event.ts";
import { universalEventSchema } from "../support/rules/event-schema.ts";

const document = readFileSync(new URL("../../docs/events.md", import.meta.url), "utf8");
const examples = [...document.matchAll(/^\{"id".*\}$/gm)].map(([line]) => JSON.parse(line) as { type: string });

describe("docs/events.md", () => {
  test.each(examples.map((one) => [one.type, one] as const))("its example of %s is valid", (_, example) => {
    expect(universalEventSchema.parse(example)).toEqual(example);
  });

  test("has an example of each type, and lists every reason for the end of a turn", () => {
    const types = universalEventSchema.options.map(({ shape }) => shape.type.value);
    expect(types.filter((type) => !examples.some((one) => one.type === type))).toEqual([]);
    expect(turnEndReasons.filter((reason) => !document.includes(`| \`${reason}\` |`))).toEqual([]);
  });
});
