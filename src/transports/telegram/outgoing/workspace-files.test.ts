import { describe, expect, test } from "vitest";
import { anEvent } from "../../../../test/support/core/events.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { namedIn } from "./delivery-rows.ts";
import { changedFiles, diffOf, lastTurnChanges, presentFiles } from "./workspace-files.ts";

type Change = { path: string; change?: "added" | "modified" | "deleted"; diff?: string | null };

function changeEvent(seq: number, turn: number, { path, change = "modified", diff = null }: Change): UniversalEvent {
  const part = { type: "file", path, change, diff } as const;
  const item = { id: `i${seq}`, kind: "file_change", role: null, name: null, parent: null } as const;
  const data = { item: { ...item, status: "completed" as const, parts: [part] } };
  return { ...anEvent({ lane: "lane", seq, time: seq }, { type: "item.completed", data }), turn };
}

/** Like the service: newest first, before a sequence number. */
const readerOf = (events: readonly UniversalEvent[]) => ({
  eventsBefore: async (_: string, before: number | null, limit: number) =>
    events
      .filter(({ seq }) => before === null || seq < before)
      .toReversed()
      .slice(0, limit),
});
const lane = { id: "lane", directory: "/code" };

describe("changed files", () => {
  const events = [
    changeEvent(1, 1, { path: "a.ts", diff: "-1\n+2" }),
    changeEvent(2, 1, { path: "old.ts", change: "deleted" }),
    changeEvent(3, 2, { path: "/code/b.ts", change: "added", diff: "--- a/b.ts\n+++ b/b.ts\n+new\n" }),
    changeEvent(4, 2, { path: "a.ts", diff: "-2\n+3\n" }),
  ];

  test("are listed once, newest first, without deleted ones", async () => {
    const files = presentFiles(await changedFiles(readerOf(events), lane));
    expect(files.map(({ path }) => path)).toEqual(["/code/a.ts", "/code/b.ts"]);
  });

  test("of the last turn make one diff, with file names added if the agent program leaves them out", async () => {
    const changes = lastTurnChanges(await changedFiles(readerOf(events), lane));
    expect(diffOf(changes, "/code")).toBe("--- a/b.ts\n+++ b/b.ts\n+new\n--- a/a.ts\n+++ b/a.ts\n-2\n+3\n");
  });

  test("without a diff make none", async () => {
    expect(diffOf(await changedFiles(readerOf(events.slice(1, 2)), lane), "/code")).toBeNull();
  });

  test("are read across many pages, back to a given time", async () => {
    const many = Array.from({ length: 1200 }, (_, index) => changeEvent(index + 1, 1, { path: `${index + 1}.ts` }));
    expect(await changedFiles(readerOf(many), lane)).toHaveLength(1200);
    expect(await changedFiles(readerOf(many), lane, 1000)).toHaveLength(201);
  });
});

test.each([
  ["I wrote notes.md.", true],
  ["See `docs/notes.md`:", true],
  ["/code/docs/notes.md is done", true],
  ["my-notes.md", false],
  ["notes.mdx", false],
  ["notes.md.bak", false],
])("an answer names a file only as a separate word: %s", (text, isNamed) => {
  expect(namedIn(text, ["/code/docs/notes.md"], "/code").length > 0).toBe(isNamed);
});
