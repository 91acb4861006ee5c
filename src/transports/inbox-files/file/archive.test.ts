import { appendFileSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { aRow, InboxDirectory } from "../../../../test/support/teams/inbox-directory.ts";
import { archiveRead } from "./archive.ts";
import { InboxFile } from "./inbox-file.ts";

let files: InboxDirectory;
let archive: string;
beforeEach(() => {
  files = new InboxDirectory();
  archive = files.in("archive/builder.jsonl");
});
afterEach(() => files.dispose());

const lines = () => readFileSync(archive, "utf8").split("\n");
const isRead = { read: true };
const all = { overBytes: 0 };

describe("archiving", () => {
  test("moves read rows, and leaves unread and malformed ones", async () => {
    const staying = [aRow("unread"), { read: true }, { ...aRow("odd", isRead), text: 17 }, null, 1];
    files.write([aRow("one", isRead), ...staying, aRow("two", { ...isRead, unknown: { field: [1] } })]);
    const moved = await archiveRead(new InboxFile(files.path), archive, all);
    expect(moved).toEqual({ outcome: "archived", moved: 2, keys: ["one", "two"] });
    expect(files.rows()).toEqual(staying);
    const archived = [aRow("one", isRead), aRow("two", { ...isRead, unknown: { field: [1] } })];
    expect(lines()).toEqual([...archived.map((row) => JSON.stringify(row)), ""]);
    expect(statSync(archive).mode & 0o777).toBe(0o600);
  });

  test("leaves the rows that must stay, and asks only about read rows", async () => {
    files.write([aRow("one", isRead), aRow("two", isRead), aRow("unread")]);
    const asked: string[][] = [];
    const stay = async (keys: readonly string[]) => {
      asked.push([...keys]);
      return new Set(["one", "unread"]);
    };
    const moved = await archiveRead(new InboxFile(files.path), archive, { ...all, stay });
    expect(moved).toEqual({ outcome: "archived", moved: 1, keys: ["two"] });
    expect(asked).toEqual([["one", "two"]]);
    expect(files.rows()).toEqual([aRow("one", isRead), aRow("unread")]);
  });

  test("leaves small files alone, and large ones without read rows", async () => {
    const nothing = { outcome: "archived", moved: 0, keys: [] };
    const inbox = new InboxFile(files.path);
    expect(await archiveRead(inbox, archive)).toEqual(nothing);
    files.write([aRow("one", isRead)]);
    expect(await archiveRead(inbox, archive)).toEqual(nothing);
    files.write([aRow("one", { text: "x".repeat(300_000) })]);
    expect(await archiveRead(inbox, archive)).toEqual(nothing);
    expect(files.names()).toEqual(["builder.json"]);
  });

  test.each([
    ["after a whole line", "", []],
    ["in place of a truncated line", '{"from":"wa', []],
    ["in place of a truncated line that is longer than a block", `{"text":"${"é".repeat(100_000)}`, []],
    ["after a whole line without a line break", '{"from":"warden"}', ['{"from":"warden"}']],
  ])("appends to an existing archive, %s", async (_, end, kept) => {
    const inbox = new InboxFile(files.path);
    files.write([aRow("one", isRead)]);
    await archiveRead(inbox, archive, all);
    appendFileSync(archive, end);
    files.write([aRow("two", isRead)]);
    await archiveRead(inbox, archive, all);
    expect(lines()).toEqual([JSON.stringify(aRow("one", isRead)), ...kept, JSON.stringify(aRow("two", isRead)), ""]);
    expect(files.text()).toBe("[]");
  });

  test("leaves a truncated first line out", async () => {
    files.write([aRow("one", isRead)]);
    mkdirSync(dirname(archive));
    appendFileSync(archive, JSON.stringify(aRow("one", isRead)).slice(0, -1));
    await archiveRead(new InboxFile(files.path), archive, all);
    expect(lines()).toEqual([JSON.stringify(aRow("one", isRead)), ""]);
  });

  test("is durable before a row leaves the inbox", async () => {
    files.write([aRow("one", isRead)]);
    const failPoint = () => {
      expect(lines()).toEqual([JSON.stringify(aRow("one", isRead)), ""]);
      expect(files.rows()).toEqual([aRow("one", isRead)]);
      throw new Error("killed");
    };
    const inbox = new InboxFile(files.path);
    await expect(archiveRead(inbox, archive, { ...all, failPoint })).rejects.toThrow("killed");
    expect(await archiveRead(inbox, archive, all)).toMatchObject({ moved: 1 });
    expect(lines()).toEqual([...Array(2).fill(JSON.stringify(aRow("one", isRead))), ""]);
    expect(files.rows()).toEqual([]);
  });

  test("keeps a row that was changed or added during archiving", async () => {
    files.write([aRow("one", isRead), aRow("two", isRead)]);
    const changed = aRow("two", { ...isRead, note: "mine" });
    const failPoint = () => files.write([aRow("one", isRead), changed, aRow("three")]);
    const moved = await archiveRead(new InboxFile(files.path), archive, { ...all, failPoint });
    expect(moved).toEqual({ outcome: "archived", moved: 1, keys: ["one"] });
    expect(files.rows()).toEqual([changed, aRow("three")]);
  });

  test("does not count as a read", async () => {
    files.write([aRow("one", isRead), aRow("two")]);
    const inbox = new InboxFile(files.path);
    await archiveRead(inbox, archive, all);
    expect(await inbox.read()).toEqual({ outcome: "read", rows: [aRow("two")] });
  });

  test("removes nothing that cannot be archived", async () => {
    files.write([aRow("one", isRead)]);
    symlinkSync("nowhere", files.in("link"));
    const failure = { outcome: "failed", problem: "unwritable", error: expect.stringContaining(files.in("link")) };
    expect(await archiveRead(new InboxFile(files.path), files.in("link"), all)).toEqual(failure);
    expect(files.rows()).toEqual([aRow("one", isRead)]);
  });

  test("leaves a damaged file alone", async () => {
    files.write('[{"from"');
    expect(await archiveRead(new InboxFile(files.path), archive, all)).toMatchObject({ problem: "corrupt" });
    expect(files.text()).toBe('[{"from"');
  });
});
