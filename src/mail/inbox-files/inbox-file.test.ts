import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { aRow, InboxDirectory } from "../../../test/support/inbox-directory.ts";
import type { InboxFileOptions } from "./inbox-file.ts";
import { InboxFile } from "./inbox-file.ts";

let files: InboxDirectory;
beforeEach(() => {
  files = new InboxDirectory();
});
afterEach(() => {
  vi.useRealTimers();
  files.dispose();
});

const whenChanged = () => statSync(files.path, { bigint: true }).ctimeNs;
const inbox = (options?: InboxFileOptions) => new InboxFile(files.path, options);

describe("appending", () => {
  test("makes a new file that only its owner may read", async () => {
    expect(await inbox().append(aRow("a"))).toEqual({ outcome: "appended", behind: null });
    expect(files.rows()).toEqual([aRow("a")]);
    expect(statSync(files.path).mode & 0o777).toBe(0o600);
    expect(files.names()).toEqual(["builder.json"]);
  });

  test("goes behind what is there, names it, and keeps the mode of the file", async () => {
    files.write([aRow("a"), 17]);
    chmodSync(files.path, 0o664);
    expect(await inbox().append(aRow("b"))).toEqual({ outcome: "appended", behind: "a" });
    expect(files.rows()).toEqual([aRow("a"), 17, aRow("b")]);
    expect(statSync(files.path).mode & 0o777).toBe(0o664);
  });

  test("leaves the rows of others as they are, to the byte", async () => {
    const foreign = '[ {"from":"x", "n":1.0, "big":12345678901234567890},null,\t[1,{"a":[]}],"\\u00e9é", -0 ]\n';
    files.write(foreign);
    await inbox().append(aRow("a"));
    expect(files.text().startsWith(foreign.slice(0, foreign.indexOf("-0") + 2))).toBe(true);
    expect(files.rows().at(-1)).toEqual(aRow("a"));
  });

  test("a row whose id is there already is not written, whatever else it says", async () => {
    files.write([aRow("a", { text: "Another text." })]);
    const before = whenChanged();
    expect(await inbox().append(aRow("a"))).toEqual({ outcome: "known" });
    expect(whenChanged()).toEqual(before);
  });

  test("a row without an id is known by what it says", async () => {
    const nameless = { from: "waybill", text: "No id.", timestamp: "2026-01-01T00:00:00Z", read: false };
    const one = inbox();
    expect(await one.append(nameless)).toMatchObject({ outcome: "appended" });
    expect(await one.append({ ...nameless, read: true })).toEqual({ outcome: "known" });
    expect(await one.append({ ...nameless, text: "Another." })).toMatchObject({ outcome: "appended" });
  });

  test("calls that come in meanwhile share a rewrite, and none of them names another as the row before it", async () => {
    files.write([aRow("first")]);
    const points: string[] = [];
    const one = inbox({ failPoint: (point) => points.push(point) });
    const ids = Array.from({ length: 50 }, (_, index) => `m${index}`);
    const outcomes = await Promise.all(ids.map((id) => one.append(aRow(id))));
    expect(outcomes).toEqual(ids.map(() => ({ outcome: "appended", behind: "first" })));
    expect(files.rows()).toEqual([aRow("first"), ...ids.map((id) => aRow(id))]);
    expect(points.filter((point) => point === "inbox.renamed").length).toBeLessThan(5);
  });

  test("the same row twice at once is written once", async () => {
    const one = inbox();
    const outcomes = await Promise.all([one.append(aRow("a")), one.append(aRow("a"))]);
    expect(outcomes).toEqual([{ outcome: "appended", behind: null }, { outcome: "known" }]);
    expect(files.rows()).toEqual([aRow("a")]);
  });

  test("two objects of one process lose nothing to each other", async () => {
    const both = [inbox(), inbox()];
    const ids = Array.from({ length: 40 }, (_, index) => `m${index}`);
    await Promise.all(ids.map((id, index) => both[index % 2]?.append(aRow(id))));
    expect(
      files
        .rows()
        .map((one) => (one as { messageId: string }).messageId)
        .toSorted(),
    ).toEqual(ids.toSorted());
  });

  test("what is no object is a mistake of the caller", async () => {
    await expect(inbox().append([] as never)).rejects.toThrow(TypeError);
    expect(existsSync(files.path)).toBe(false);
  });

  test("works on another file system", async ({ skip }) => {
    const memory = "/dev/shm";
    if (!existsSync(memory) || statSync(memory).dev === statSync(files.directory).dev) skip();
    const elsewhere = new InboxDirectory(memory);
    try {
      const one = new InboxFile(elsewhere.path);
      await one.append(aRow("a"));
      expect(await one.append(aRow("b"))).toEqual({ outcome: "appended", behind: "a" });
      expect(elsewhere.names()).toEqual(["builder.json"]);
    } finally {
      elsewhere.dispose();
    }
  });
});

describe("somebody who does not lock", () => {
  /** Does something when the next rewrite has come to a point, once. */
  const once = (at: string, act: () => void) => {
    let isDone = false;
    return (point: string) => {
      if (point !== at || isDone) return;
      isDone = true;
      act();
    };
  };

  test("and adds a row just before the rename keeps it", async () => {
    files.write([aRow("a")]);
    const failPoint = once("inbox.written", () => files.write([aRow("a"), aRow("foreign")]));
    expect(await inbox({ failPoint }).append(aRow("b"))).toEqual({ outcome: "appended", behind: "foreign" });
    expect(files.rows()).toEqual([aRow("a"), aRow("foreign"), aRow("b")]);
    expect(files.names()).toEqual(["builder.json"]);
  });

  test("and changes a row in place without changing its length is noticed", async () => {
    files.write([aRow("a", { read: "no " })]);
    const { mtime } = statSync(files.path);
    const failPoint = once("inbox.written", () => {
      files.write([aRow("a", { read: "yes" })]);
      utimesSync(files.path, mtime, mtime);
    });
    await inbox({ failPoint }).append(aRow("b"));
    expect(files.rows()).toEqual([aRow("a", { read: "yes" }), aRow("b")]);
  });

  test("and makes the file that did not exist keeps its row", async () => {
    const failPoint = once("inbox.written", () => files.write([aRow("foreign")]));
    expect(await inbox({ failPoint }).append(aRow("a"))).toEqual({ outcome: "appended", behind: "foreign" });
    expect(files.rows()).toEqual([aRow("foreign"), aRow("a")]);
  });

  test("and writes an older array back right after the rename does not win", async () => {
    files.write([aRow("a")]);
    const failPoint = once("inbox.renamed", () => files.write([aRow("a"), aRow("foreign")]));
    expect(await inbox({ failPoint }).append(aRow("b"))).toEqual({ outcome: "appended", behind: "foreign" });
    expect(files.rows()).toEqual([aRow("a"), aRow("foreign"), aRow("b")]);
  });

  test("and adds a row right after the rename does not make ours be written twice", async () => {
    files.write([aRow("a")]);
    const failPoint = once("inbox.renamed", () => files.write([...files.rows(), aRow("foreign")]));
    expect(await inbox({ failPoint }).append(aRow("b"))).toEqual({ outcome: "appended", behind: "a" });
    expect(files.rows()).toEqual([aRow("a"), aRow("b"), aRow("foreign")]);
  });

  test("and adds a row right after the rename does not make rows of one rewrite name each other", async () => {
    files.write([aRow("a")]);
    const failPoint = once("inbox.renamed", () => files.write([...files.rows(), aRow("foreign")]));
    const one = inbox({ failPoint });
    const outcomes = await Promise.all([one.append(aRow("b")), one.append(aRow("c"))]);
    expect(outcomes).toEqual([
      { outcome: "appended", behind: "a" },
      { outcome: "appended", behind: "a" },
    ]);
    expect(files.rows()).toEqual([aRow("a"), aRow("b"), aRow("c"), aRow("foreign")]);
  });

  test("and removes the file makes it be written anew", async () => {
    files.write([aRow("a")]);
    const failPoint = once("inbox.written", () => rmSync(files.path));
    expect(await inbox({ failPoint }).append(aRow("b"))).toEqual({ outcome: "appended", behind: null });
    expect(files.rows()).toEqual([aRow("b")]);
  });

  test("and replaces the file by a link finds it untouched", async () => {
    files.write([aRow("a")]);
    const failPoint = once("inbox.written", () => {
      renameSync(files.path, files.in("elsewhere.json"));
      symlinkSync("elsewhere.json", files.path);
    });
    expect(await inbox({ failPoint }).append(aRow("b"))).toMatchObject({ outcome: "failed", problem: "link" });
    expect(lstatSync(files.path).isSymbolicLink()).toBe(true);
    expect(files.rows()).toEqual([aRow("a")]);
    expect(files.names()).toEqual(["builder.json", "elsewhere.json"]);
  });

  test("and never stops is given up on, with a reason and without damage", async () => {
    files.write([aRow("a")]);
    let count = 0;
    const failPoint = (point: string) => {
      if (point === "inbox.written") files.write([aRow("a"), aRow(`foreign-${++count}`)]);
    };
    const outcome = await inbox({ failPoint }).append(aRow("b"));
    expect(outcome).toMatchObject({
      outcome: "failed",
      problem: "unwritable",
      error: expect.stringContaining("do not lock"),
    });
    expect(files.rows()).toEqual([aRow("a"), aRow(`foreign-${count}`)]);
    expect(files.names()).toEqual(["builder.json"]);
  });

  test("and writes in place is waited for", async () => {
    const whole = JSON.stringify([aRow("a"), aRow("b")]);
    files.write(whole.slice(0, 60));
    const reading = inbox().read();
    const appending = inbox().append(aRow("c"));
    setTimeout(() => files.write(whole), 30);
    expect(await reading).toEqual({ outcome: "read", rows: [aRow("a"), aRow("b")] });
    expect(await appending).toEqual({ outcome: "appended", behind: "b" });
  });
});

describe("reading", () => {
  /** By this process so far. */
  const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);

  test("gives all rows, understood or not", async () => {
    files.write('[{"from":"x"}, 1, null, "text", [2]]');
    expect(await inbox().read()).toEqual({ outcome: "read", rows: [{ from: "x" }, 1, null, "text", [2]] });
  });

  test("a file that does not exist is missing", async () => {
    expect(await inbox().read()).toEqual({ outcome: "missing" });
  });

  test("again says that nothing has changed", async () => {
    files.write([aRow("a")]);
    const one = inbox();
    expect(await one.read()).toMatchObject({ outcome: "read" });
    expect(await one.read()).toEqual({ outcome: "unchanged" });
    expect(await one.read({ evenIfUnchanged: true })).toEqual({ outcome: "read", rows: [aRow("a")] });
  });

  test.skipIf(!existsSync("/proc/self/io"))(
    "a file that has rested for a while is not read again until it changes",
    async () => {
      const bytes = 2_000_000;
      const large = aRow("a", { text: "x".repeat(bytes) });
      files.write([large]);
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
      const one = inbox();
      await one.read();
      const before = bytesRead();
      expect(await one.read()).toEqual({ outcome: "unchanged" });
      expect(bytesRead() - before).toBeLessThan(bytes);
      files.write([large, aRow("b")]);
      expect(await one.read()).toEqual({ outcome: "read", rows: [large, aRow("b")] });
      expect(bytesRead() - before).toBeGreaterThan(bytes);
    },
  );
  test("shows that a row was taken as soon as it was appended", async () => {
    files.write([]);
    const one = inbox();
    await one.read();
    await one.append(aRow("a"));
    files.write([]);
    expect(await one.read()).toEqual({ outcome: "read", rows: [] });
  });

  test("sees a change in place that leaves the length and the date of the file as they were", async () => {
    files.write([aRow("a", { read: 1 })]);
    const one = inbox();
    await one.read();
    const { mtime } = statSync(files.path);
    files.write([aRow("a", { read: 2 })]);
    utimesSync(files.path, mtime, mtime);
    expect(await one.read()).toEqual({ outcome: "read", rows: [aRow("a", { read: 2 })] });
  });

  test("sees what this object wrote itself, and peeking does not count", async () => {
    const one = inbox();
    expect(await one.read()).toEqual({ outcome: "missing" });
    await one.append(aRow("a"));
    expect(await one.peek()).toEqual({ outcome: "read", rows: [aRow("a")] });
    expect(await one.read()).toEqual({ outcome: "read", rows: [aRow("a")] });
    rmSync(files.path);
    expect(await one.read()).toEqual({ outcome: "missing" });
  });
});

describe("changing rows", () => {
  const markRead = (id: string) => (all: readonly unknown[]) =>
    all.some((one) => isUnread(one, id))
      ? all.map((one) => (isUnread(one, id) ? { ...(one as object), read: true } : one))
      : null;
  const isUnread = (one: unknown, id: string) =>
    (one as { messageId?: string })?.messageId === id && (one as { read?: boolean }).read === false;

  test("leaves the other rows alone, to the byte", async () => {
    const others = ['{"from":"x",  "n":1.0}', "null", "1e3"];
    files.write(`[${others[0]},${JSON.stringify(aRow("a"))},${others[1]},${others[2]}]`);
    expect(await inbox().change(markRead("a"))).toEqual({ outcome: "changed" });
    expect(files.rows()[1]).toEqual(aRow("a", { read: true }));
    for (const other of others) expect(files.text()).toContain(`\n  ${other}`);
  });

  test("is no rewrite when there is nothing to change", async () => {
    files.write([aRow("a", { read: true })]);
    const before = whenChanged();
    expect(await inbox().change(markRead("a"))).toEqual({ outcome: "unchanged" });
    expect(await inbox().change((all) => [...all])).toEqual({ outcome: "unchanged" });
    expect(whenChanged()).toEqual(before);
  });

  test("makes no file", async () => {
    expect(await inbox().change(() => [])).toEqual({ outcome: "missing" });
    expect(files.names()).toEqual([]);
  });

  test("holds although somebody wrote an older array back in between", async () => {
    files.write([aRow("a")]);
    let isDone = false;
    const failPoint = (point: string) => {
      if (point !== "inbox.renamed" || isDone) return;
      isDone = true;
      files.write([aRow("a"), aRow("b")]);
    };
    expect(await inbox({ failPoint }).change(markRead("a"))).toEqual({ outcome: "changed" });
    expect(files.rows()).toEqual([aRow("a", { read: true }), aRow("b")]);
  });

  test("a mistake in it leaves the file and the lock as they were, and the next one goes on", async () => {
    files.write([aRow("a")]);
    const one = inbox();
    const broken = one.change(() => {
      throw new Error("a mistake");
    });
    await expect(broken).rejects.toThrow("a mistake");
    expect(files.names()).toEqual(["builder.json"]);
    expect(await one.append(aRow("b"))).toEqual({ outcome: "appended", behind: "a" });
  });
});
