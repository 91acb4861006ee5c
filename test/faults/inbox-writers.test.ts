/** Many processes on one inbox, ours and others, with and without its lock; and ours killed in between. */
import { existsSync, readFileSync } from "node:fs";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { inboxFileFailPoints } from "../../src/core/delivery/fail-points.ts";
import { aRow, InboxDirectory } from "../support/teams/inbox-directory.ts";
import {
  appendBeside,
  ids,
  idsIn,
  startForeign,
  startWriters,
  Writer,
  writerNames,
} from "../support/teams/inbox-writers.ts";

let files: InboxDirectory;
beforeEach(() => {
  files = new InboxDirectory();
});
afterEach(() => files.dispose());

/** With fewer, the other program gets the lock too rarely: it asks for it far less often than ours. */
const rowsOfEach = 500;

/**
 * Most killed writers wait until the dead one's lock is stale, so they all run from the start, in parallel with the
 * others.
 */
const points = inboxFileFailPoints.filter((point) => point !== "inbox.archived");
const kills = points.flatMap((point) => [`${point}@1`, `${point}@4`]);
const appended = new Map<string, ReturnType<typeof killedWhileAppending>>();
const archived = new Map<string, ReturnType<typeof killedWhileArchiving>>();
beforeAll(() => {
  for (const point of kills) appended.set(point, watched(killedWhileAppending(point)));
  for (const point of inboxFileFailPoints) archived.set(point, watched(killedWhileArchiving(point)));
});

describe("eight processes that append many rows each", () => {
  test("lose nothing, and the holder of the lock always reads a whole array", async () => {
    const { reads } = await appendBeside("reader", files, rowsOfEach);
    expect(reads).toBeGreaterThan(10);
  });

  test("lose nothing to a program that locks like Claude Code, which loses nothing either", async () => {
    const foreign = await appendBeside("locked", files, rowsOfEach);
    expect(foreign.ids.length).toBeGreaterThan(10);
  });

  test("lose nothing silently to a program that writes older arrays back without a lock", async () => {
    // Fewer, because every lost row is written again.
    const all = ids(writerNames, 150);
    files.write([aRow("first")]);
    const foreign = [startForeign(files, "locked"), startForeign(files, "unlocked")];
    const writers = startWriters(files, 150);
    const outcomes = (await Promise.all(writers.map((writer) => writer.appendAll()))).flat();
    await Promise.all(foreign.map((end) => end()));
    const lost = all.filter((id) => !idsIn(files.rows()).includes(id));
    const restored = await Promise.all(writers.map((writer) => writer.restore()));
    await Promise.all(writers.map((writer) => writer.end()));
    const failed = outcomes.filter(({ outcome }) => outcome === "failed").map(({ id }) => id);
    const gone = restored.flatMap((one) => one.gone);
    const present = idsIn(files.rows()).filter((id) => all.includes(id));
    expect(restored.map(({ outcome }) => outcome)).toEqual(writerNames.map(() => "restored"));
    expect(restored.flatMap((one) => one.restored).length).toBeGreaterThan(0);
    expect(lost.length).toBeGreaterThan(0);
    expect([...present, ...failed, ...gone].toSorted()).toEqual(all.toSorted());
    expect(files.names()).toEqual(["builder.json"]);
  });
});

describe("killed with SIGKILL and started again", () => {
  test.each(kills)("at %s, no row is lost or duplicated", async (point) => {
    const run = await appended.get(point);
    expect(run?.signal).toBe("SIGKILL");
    expect(run?.before.map(({ outcome }) => outcome)).toEqual(run?.before.map(() => "appended"));
    expect(run?.kept).toEqual(expect.arrayContaining(["first", ...(run?.before.map(({ id }) => id) ?? [])]));
    const known = run?.after.filter(({ outcome }) => outcome === "known").map(({ id }) => id);
    expect(known).toEqual(run?.kept.slice(1));
    expect(run?.ids).toEqual(["first", ...ids(["row"], 20)]);
    expect(run?.names).toEqual(["builder.json"]);
  });

  test.each(inboxFileFailPoints)("at %s while archiving, each row is in one place or both", async (point) => {
    const run = await archived.get(point);
    expect(run?.signal).toBe("SIGKILL");
    expect(new Set(run?.kept)).toEqual(new Set(ids(["row"], 10)));
    expect(run?.ids).toEqual(["row-1", "row-3", "row-5", "row-7", "row-9"]);
    expect([...new Set(run?.archived)]).toEqual(["row-0", "row-2", "row-4", "row-6", "row-8"]);
    expect(run?.names.filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

/** Prevents an unhandled rejection; a later await still sees it. */
function watched<T>(run: Promise<T>): Promise<T> {
  run.catch(() => {});
  return run;
}

async function killedWhileAppending(point: string) {
  const own = new InboxDirectory();
  try {
    own.write([aRow("first")]);
    const killed = new Writer([own.path, "row", "20"], point);
    const before = await killed.appendAll();
    const signal = await killed.ended;
    const kept = idsIn(own.rows());
    const again = new Writer([own.path, "row", "20"]);
    const after = await again.appendAll();
    await again.end();
    return { signal, before, kept, after, ids: idsIn(own.rows()), names: own.names() };
  } finally {
    own.dispose();
  }
}

async function killedWhileArchiving(point: string) {
  const own = new InboxDirectory();
  try {
    const archive = own.in("archive.jsonl");
    const archived = () => {
      const lines = existsSync(archive) ? readFileSync(archive, "utf8").trim().split("\n") : [];
      return idsIn(lines.map((line) => JSON.parse(line) as unknown));
    };
    own.write(ids(["row"], 10).map((id, number) => aRow(id, { read: number % 2 === 0 })));
    const signal = await new Writer([own.path, "row", "0", archive], point).ended;
    const kept = [...archived(), ...idsIn(own.rows())];
    await new Writer([own.path, "row", "0", archive]).ended;
    return { signal, kept, archived: archived(), ids: idsIn(own.rows()), names: own.names() };
  } finally {
    own.dispose();
  }
}
