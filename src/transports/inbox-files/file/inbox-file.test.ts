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
import { aRow, InboxDirectory } from "../../../../test/support/teams/inbox-directory.ts";
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
  test("creates a new file that only its owner may read", async () => {
    expect(await inbox().append(aRow("a"))).toEqual({ outcome: "appended", behind: null });
    expect(files.rows()).toEqual([aRow("a")]);
    expect(statSync(files.path).mode & 0o777).toBe(0o600);
    expect(files.names()).toEqual(["builder.json"]);
  });

  test("adds the row at the end, names the row before it, and keeps the file's mode", async () => {
    files.write([aRow("a"), 17]);
    chmodSync(files.path, 0o664);
    expect(await inbox().append(aRow("b"))).toEqual({ outcome: "appended", behind: "a" });
    expect(files.rows()).toEqual([aRow("a"), 17, aRow("b")]);
    expect(statSync(files.path).mode & 0o777).toBe(0o664);
  });

  test("leaves other rows as they are, to the byte", async () => {
    const foreign = '[ {"from":"x", "n":1.0, "big":12345678901234567890},null,\t[1,{"a":[]}],"\\u00e9é", -0 ]\n';
    files.write(foreign);
    await inbox().append(aRow("a"));
    expect(files.text().startsWith(foreign.slice(0, foreign.indexOf("-0") + 2))).toBe(true);
    expect(files.rows().at(-1)).toEqual(aRow("a"));
  });

  test("does not write a row whose id is already there, whatever else it contains", async () => {
    files.write([aRow("a", { text: "Another text." })]);
    const before = whenChanged();
    expect(await inbox().append(aRow("a"))).toEqual({ outcome: "known" });
    expect(whenChanged()).toEqual(before);
  });

  test("identifies a row without an id by its content", async () => {
    const nameless = { from: "waybill", text: "No id.", timestamp: "2026-01-01T00:00:00Z", read: false };
    const one = inbox();
    expect(await one.append(nameless)).toMatchObject({ outcome: "appended" });
    expect(await one.append({ ...nameless, read: true })).toEqual({ outcome: "known" });
    expect(await one.append({ ...nameless, text: "Another." })).toMatchObject({ outcome: "appended" });
  });

  test("concurrent calls share a rewrite, and none of them names another as the row before it", async () => {
    files.write([aRow("first")]);
    const points: string[] = [];
    const one = inbox({ failPoint: (point) => points.push(point) });
    const ids = Array.from({ length: 50 }, (_, index) => `m${index}`);
    const outcomes = await Promise.all(ids.map((id) => one.append(aRow(id))));
    expect(outcomes).toEqual(ids.map(() => ({ outcome: "appended", behind: "first" })));
    expect(files.rows()).toEqual([aRow("first"), ...ids.map((id) => aRow(id))]);
    expect(points.filter((point) => point === "inbox.renamed").length).toBeLessThan(5);
  });

  test("the same row appended twice concurrently is written once", async () => {
    const one = inbox();
    const outcomes = await Promise.all([one.append(aRow("a")), one.append(aRow("a"))]);
    expect(outcomes).toEqual([{ outcome: "appended", behind: null }, { outcome: "known" }]);
    expect(files.rows()).toEqual([aRow("a")]);
  });

  test("two objects in one process do not lose each other's rows", async () => {
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

  test("throws on a row that is not an object", async () => {
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

describe("a program that does not lock", () => {
  /** Acts once, when a rewrite first reaches the fail point. */
  const once = (at: string, act: () => void) => {
    let isDone = false;
    return (point: string) => {
      if (point !== at || isDone) return;
      isDone = true;
      act();
    };
  };

  test("and adds a row just before the rename does not lose it", async () => {
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

  test("and creates the missing file keeps its row", async () => {
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

  test("and adds a row right after the rename does not cause ours to be written twice", async () => {
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

  test("and removes the file causes it to be written again", async () => {
    files.write([aRow("a")]);
    const failPoint = once("inbox.written", () => rmSync(files.path));
    expect(await inbox({ failPoint }).append(aRow("b"))).toEqual({ outcome: "appended", behind: null });
    expect(files.rows()).toEqual([aRow("b")]);
  });

  test("and replaces the file with a link finds the link untouched", async () => {
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

  test("and never stops makes us give up, with a reason and without damage", async () => {
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
    const writeInPlace = () => {
      files.write(whole.slice(0, 60));
      setTimeout(() => files.write(whole), 30);
    };
    writeInPlace();
    expect(await inbox().read()).toEqual({ outcome: "read", rows: [aRow("a"), aRow("b")] });
    writeInPlace();
    expect(await inbox().append(aRow("c"))).toEqual({ outcome: "appended", behind: "b" });
  });
});

describe("reading", () => {
  /** The bytes this process has read. */
  const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);

  test("returns all rows, well-formed or not", async () => {
    files.write('[{"from":"x"}, 1, null, "text", [2]]');
    expect(await inbox().read()).toEqual({ outcome: "read", rows: [{ from: "x" }, 1, null, "text", [2]] });
  });

  test("a file that does not exist is missing", async () => {
    expect(await inbox().read()).toEqual({ outcome: "missing" });
  });

  test("again reports that nothing has changed", async () => {
    files.write([aRow("a")]);
    const one = inbox();
    expect(await one.read()).toMatchObject({ outcome: "read" });
    expect(await one.read()).toEqual({ outcome: "unchanged" });
    expect(await one.read({ evenIfUnchanged: true })).toEqual({ outcome: "read", rows: [aRow("a")] });
  });

  test.skipIf(!existsSync("/proc/self/io"))(
    "a file that was unchanged for a while is not read again until it changes",
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
  test("shows that a row was removed right after it was appended", async () => {
    files.write([]);
    const one = inbox();
    await one.read();
    await one.append(aRow("a"));
    files.write([]);
    expect(await one.read()).toEqual({ outcome: "read", rows: [] });
  });

  test("detects an in-place change that keeps the file's length and date", async () => {
    files.write([aRow("a", { read: 1 })]);
    const one = inbox();
    await one.read();
    const { mtime } = statSync(files.path);
    files.write([aRow("a", { read: 2 })]);
    utimesSync(files.path, mtime, mtime);
    expect(await one.read()).toEqual({ outcome: "read", rows: [aRow("a", { read: 2 })] });
  });

  test("returns rows that this object wrote itself, and peeking does not count", async () => {
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

  test("does not rewrite the file when there is nothing to change", async () => {
    files.write([aRow("a", { read: true })]);
    const before = whenChanged();
    expect(await inbox().change(markRead("a"))).toEqual({ outcome: "unchanged" });
    expect(await inbox().change((all) => [...all])).toEqual({ outcome: "unchanged" });
    expect(whenChanged()).toEqual(before);
  });

  test("creates no file", async () => {
    expect(await inbox().change(() => [])).toEqual({ outcome: "missing" });
    expect(files.names()).toEqual([]);
  });

  test("survives another program writing an older array back in between", async () => {
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

  test("an exception in the change leaves the file and the lock as they were, and the next change works", async () => {
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
