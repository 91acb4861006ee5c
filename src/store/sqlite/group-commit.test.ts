/** One commit for all writes of a tick; nobody hears of success before it is durable; a full disk loses nothing. */
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreFile } from "../../../test/support/store-file.ts";
import { StoreHealth } from "./file/store-health.ts";
import type { CommitPoint } from "./group-commit.ts";
import { GroupCommit } from "./group-commit.ts";

let file: StoreFile;
let db: Database.Database;
let points: string[];
let onPoint: (point: CommitPoint) => void;
let commits: GroupCommit;

beforeEach(() => {
  file = new StoreFile();
  db = new Database(file.path);
  db.pragma("journal_mode = WAL");
  db.exec("CREATE TABLE note (text TEXT UNIQUE)");
  points = [];
  onPoint = () => {};
  const failPoint = (point: CommitPoint) => {
    points.push(point);
    onPoint(point);
  };
  commits = new GroupCommit(db, new StoreHealth(), { failPoint });
});
afterEach(async () => {
  db.close();
  await file.dispose();
});

const write = (text: string) => commits.write(() => db.prepare("INSERT INTO note VALUES (?)").run(text).changes);
const notes = () => db.prepare("SELECT text FROM note ORDER BY rowid").pluck().all();

describe("writes of one tick", () => {
  it("are one commit, and are answered after it", async () => {
    const answered = ["a", "b", "c"].map(async (text) => {
      await write(text);
      points.push(text);
    });
    await Promise.all(answered);
    expect(points).toEqual(["store.written", "store.committed", "a", "b", "c"]);
  });

  it("are all made when there are more than fit into one commit", async () => {
    const texts = Array.from({ length: 1234 }, (_, index) => String(index));
    await Promise.all(texts.map(write));
    expect(notes()).toEqual(texts);
    expect(points.filter((point) => point === "store.committed")).toHaveLength(3);
  });

  it("do not harm each other, and one that fails leaves nothing of itself", async () => {
    const half = commits.write(() => {
      db.prepare("INSERT INTO note VALUES ('half')").run();
      throw new Error("in the middle");
    });
    const outcomes = await Promise.allSettled([write("a"), half, write("a"), write("b")]);
    expect(outcomes.map((one) => one.status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    expect(outcomes[1]).toMatchObject({ reason: { message: "in the middle" } });
    expect(notes()).toEqual(["a", "b"]);
  });
});

describe("a commit that fails", () => {
  it("fails all its writes, changes nothing, and is no trouble for the next", async () => {
    onPoint = (point) => {
      if (point === "store.written") throw new Error("no more");
    };
    const outcomes = await Promise.allSettled([write("a"), write("b")]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: "store_unwritable" } });
    expect(notes()).toEqual([]);
    onPoint = () => {};
    await write("c");
    expect(notes()).toEqual(["c"]);
  });
});

describe("a full disk", () => {
  const big = "x".repeat(100_000);
  // SQLite takes back the whole transaction after the first, and only the statement after the second.
  it.each([
    ["a row", "INSERT INTO note VALUES (?)", 1],
    ["several rows", "INSERT INTO note SELECT value || ? FROM json_each('[1,2,3]')", 3],
  ])(
    "in the middle of %s is said to the whole batch, loses nothing, and is over once there is room",
    async (_, sql, count) => {
      const writeBig = () => commits.write(() => db.prepare(sql).run(big).changes);
      await write("before");
      db.pragma(`max_page_count = ${db.pragma("page_count", { simple: true })}`);
      for (const outcome of await Promise.allSettled([write("small"), writeBig(), write("last")])) {
        expect(outcome).toMatchObject({ reason: { code: "store_unwritable", retryable: true } });
      }
      expect(notes()).toEqual(["before"]);
      db.pragma("max_page_count = 1000000");
      expect(await Promise.all([write("small"), writeBig(), write("last")])).toEqual([1, count, 1]);
      expect(notes()).toHaveLength(count + 3);
    },
  );
});

describe("closing", () => {
  it("writes what was asked for, however much, and takes nothing more", async () => {
    const asked = Array.from({ length: 600 }, (_, index) => write(String(index)));
    commits.close();
    expect(notes()).toHaveLength(600);
    await Promise.all(asked);
    await expect(write("late")).rejects.toMatchObject({ code: "store_closed" });
  });
});
