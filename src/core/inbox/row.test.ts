import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { InboxRow } from "./row.ts";
import { parseRow, rowKey } from "./row.ts";

const row = { from: "nate", text: "Which port?", timestamp: "2026-01-01T00:00:00.000Z", read: false };

describe("a row without an id", () => {
  test("gets one derived only from its sender, time and text", () => {
    const said = `${row.from}\0${row.timestamp}\0${row.text}`;
    const id = `row-${createHash("sha256").update(said).digest("hex")}`;
    expect(parseRow(row)).toMatchObject({ id });
    expect(rowKey({ ...row, read: true, summary: "port", color: "blue", messageId: "" })).toBe(id);
  });

  test.each([
    ["from another sender", { from: "tom" }],
    ["whose sender and time concatenate to the same characters", { from: "nat", timestamp: `e${row.timestamp}` }],
    ["with another time", { timestamp: "2026-01-01T00:00:00.001Z" }],
    ["with another text", { text: "Which port? " }],
  ])("has a different id from a row %s", (_, other: InboxRow) => {
    expect(rowKey({ ...row, ...other })).not.toBe(rowKey(row));
  });
});

describe("a row with an id", () => {
  const uuid = "0e8e6c5e-0000-4000-8000-000000000000";

  test.each([
    ["in the classic form", { messageId: "m1" }, "m1"],
    ["from a Claude Code session", { msg_id: uuid }, uuid],
    ["and a message id", { messageId: "m1", msg_id: uuid }, "m1"],
  ])("%s keeps it", (_, ids: InboxRow, id) => {
    expect(parseRow({ ...row, ...ids })).toMatchObject({ id });
  });

  test.each(["../../etc/passwd", "a b", "x".repeat(129), 7, null])(
    "that is not a valid message id (%j) gets a derived one",
    (id) => {
      expect(rowKey({ ...row, messageId: id })).toBe(rowKey(row));
    },
  );
});
