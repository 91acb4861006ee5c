/** One commit for all writes of a tick; no write resolves before it is durable; a full disk loses nothing. */
import { setImmediate as nextTurn } from "node:timers/promises";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreFile } from "../../../test/support/store/store-file.ts";
import type { CommitPoint } from "../administration.ts";
import { StoreHealth } from "./file/store-health.ts";
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
  it("are one commit, and resolve after it", async () => {
    const answered = ["a", "b", "c"].map(async (text) => {
      await write(text);
      points.push(text);
    });
    await Promise.all(answered);
    expect(points).toEqual(["store.written", "store.committed", "a", "b", "c"]);
  });

  it("are one commit, however many there are", async () => {
    const texts = Array.from({ length: 1234 }, (_, index) => String(index));
    await Promise.all(texts.map(write));
    expect(notes()).toEqual(texts);
    expect(points).toEqual(["store.written", "store.committed"]);
  });

  it("run immediately: each sees those before it, and returns its result", async () => {
    const seen = ["a", "b"].map((text) => {
      const { result } = commits.stage(() => db.prepare("INSERT INTO note VALUES (?) RETURNING text").get(text));
      return { result, notes: notes() };
    });
    expect(seen).toEqual([
      { result: { text: "a" }, notes: ["a"] },
      { result: { text: "b" }, notes: ["a", "b"] },
    ]);
    expect([points, commits.pending]).toEqual([[], expect.any(Promise)]);
    await write("c");
    expect([points, commits.pending]).toEqual([["store.written", "store.committed"], null]);
  });

  it("are invisible to other connections before they are durable", async () => {
    const other = new Database(file.path, { readonly: true });
    const seenByOther = () => other.prepare("SELECT text FROM note").pluck().all();
    const { durable } = commits.stage(() => db.prepare("INSERT INTO note VALUES ('a')").run());
    expect(seenByOther()).toEqual([]);
    await durable;
    expect(seenByOther()).toEqual(["a"]);
    other.close();
  });

  it("do not affect each other, and one that fails leaves nothing behind", async () => {
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
  it("fails all its writes, changes nothing, and does not affect the next", async () => {
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

  it("rejects `durable` of a staged write, and does not call onCommit", async () => {
    const heard: string[] = [];
    const [onCommit, onRollback] = [() => heard.push("committed"), () => heard.push("rolled back")];
    const failPoint = (point: CommitPoint) => onPoint(point);
    commits = new GroupCommit(db, new StoreHealth(), { failPoint, onCommit, onRollback });
    onPoint = () => {
      throw new Error("no more");
    };
    const { result, durable } = commits.stage(() => db.prepare("INSERT INTO note VALUES ('a')").run().changes);
    expect(result).toBe(1);
    await expect(durable).rejects.toMatchObject({ code: "store_unwritable" });
    expect([notes(), heard]).toEqual([[], ["rolled back"]]);
    onPoint = () => {};
    await write("b");
    expect([notes(), heard]).toEqual([["b"], ["rolled back", "committed"]]);
  });
});

describe("a full disk", () => {
  const big = "x".repeat(100_000);
  // SQLite rolls back the whole transaction after the first, and only the statement after the second.
  it.each([
    ["a row", "INSERT INTO note VALUES (?)", 1],
    ["several rows", "INSERT INTO note SELECT value || ? FROM json_each('[1,2,3]')", 3],
  ])(
    "in the middle of %s fails the whole batch, loses nothing, and is over once there is room",
    async (_, sql, count) => {
      const writeBig = () => commits.write(() => db.prepare(sql).run(big).changes);
      await write("before");
      db.pragma(`max_page_count = ${db.pragma("page_count", { simple: true })}`);
      for (const outcome of await Promise.allSettled([write("small"), writeBig(), write("last")])) {
        expect(outcome).toMatchObject({ reason: { code: "store_unwritable", retryable: true } });
      }
      expect(notes()).toEqual(["before"]);
      db.pragma("max_page_count = 1000000");
      // Writes in the same turn belong to the failed commit.
      await nextTurn();
      expect(await Promise.all([write("small"), writeBig(), write("last")])).toEqual([1, count, 1]);
      expect(notes()).toHaveLength(count + 3);
    },
  );
});

describe("closing", () => {
  it("writes everything pending, however much, and refuses later writes", async () => {
    const asked = Array.from({ length: 600 }, (_, index) => write(String(index)));
    commits.close();
    expect(notes()).toHaveLength(600);
    await Promise.all(asked);
    await expect(write("late")).rejects.toMatchObject({ code: "store_closed" });
  });
});
