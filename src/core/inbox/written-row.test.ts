import { describe, expect, test } from "vitest";
import { namedAtBeginning } from "./written-row.ts";

const id = "msg-51c0a7";

describe("the first word of an answer", () => {
  test.each([
    [`${id}: it is green.`, "it is green."],
    [`${id}:it is green.`, "it is green."],
    [`${id} it is green.`, "it is green."],
    [`${id} - it is green.`, "it is green."],
    [`${id}. It is green.`, "It is green."],
    [`${id}`, ""],
    [`${id}:`, ""],
    [`[${id}] It is green.`, "It is green."],
    [`**${id}**: it is green.`, "it is green."],
    [`[waybill message ${id}] It is green.`, "It is green."],
  ])("names a message: %s", (text, rest) => {
    expect(namedAtBeginning(text)).toContainEqual({ messageId: id, rest });
  });

  test("is tried as the longest id first", () => {
    const ids = namedAtBeginning("a-b.c:d: yes").map(({ messageId }) => messageId);
    expect(ids).toEqual(["a-b.c:d:", "a-b.c:d", "a-b.c"]);
  });

  test.each([
    [`Regarding ${id}: it is green.`],
    [`${id}0: it is green.`],
    [`${id}/x: it is green.`],
    [`${id}-based work is done.`],
    [`-${id}: it is green.`],
    [`${id}${"x".repeat(300_000)}`],
    [""],
  ])("does not name the message: %.40s", (text) => {
    expect(namedAtBeginning(text).map(({ messageId }) => messageId)).not.toContain(id);
  });
});
