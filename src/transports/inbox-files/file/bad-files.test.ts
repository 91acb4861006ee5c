/** Problems with a file are reported, and nothing is damaged. */

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { aRow, InboxDirectory } from "../../../../test/support/teams/inbox-directory.ts";
import type { InboxFileOptions, InboxProblem } from "./inbox-file.ts";
import { InboxFile } from "./inbox-file.ts";

let files: InboxDirectory;
beforeEach(() => {
  files = new InboxDirectory();
});
afterEach(() => files.dispose());

const inbox = (options?: InboxFileOptions) => new InboxFile(files.path, options);
const failure = (problem: InboxProblem, error = "") => ({
  outcome: "failed",
  problem,
  error: expect.stringContaining(error),
});

/** The result of each operation on the file. */
async function uses(one: InboxFile) {
  const [read, appended, changed] = await Promise.all([one.read(), one.append(aRow("new")), one.change(() => [])]);
  return { read, appended, changed };
}
const refused = (expected: unknown) => ({ read: expected, appended: expected, changed: expected });

describe("a damaged file is never written, and works again once it is repaired", () => {
  type Case = { content: Buffer; mended: Buffer };

  /** In parallel, each in its own file, because Waybill waits a while before it reports a file as damaged. */
  async function expectRefused(cases: readonly Case[]) {
    const checks = cases.map(async ({ content, mended }, index) => {
      const path = files.in(`member-${index}.json`);
      const rows = JSON.parse(mended.toString()) as unknown[];
      writeFileSync(path, content);
      const one = new InboxFile(path);
      expect(await uses(one), content.toString()).toEqual(refused(failure("corrupt", path)));
      expect(readFileSync(path)).toEqual(content);
      writeFileSync(path, mended);
      expect(await one.read()).toEqual({ outcome: "read", rows });
      expect(await one.append(aRow("last"))).toMatchObject({ outcome: "appended" });
      expect(JSON.parse(readFileSync(path, "utf8"))).toEqual([...rows, aRow("last")]);
    });
    await Promise.all(checks);
    expect(files.names()).toEqual(cases.map((_, index) => `member-${index}.json`).toSorted());
  }

  test("wherever it is truncated", async () => {
    const mended = Buffer.from(JSON.stringify([{ from: "é", text: 'a "quoted" \\ text' }, null, [1], 2.5], null, 1));
    await expectRefused(Array.from(mended, (_, length) => ({ content: mended.subarray(0, length), mended })));
  });

  test("whatever it contained", async () => {
    const arrays = fc.array(fc.jsonValue(), { maxLength: 4 }).map((rows) => Buffer.from(JSON.stringify(rows)));
    const cut = fc
      .tuple(arrays, fc.nat())
      .map(([mended, at]) => ({ content: mended.subarray(0, at % mended.length), mended }));
    const doubled = arrays.map((mended) => ({ content: Buffer.concat([mended, mended]), mended }));
    const many = fc.array(fc.oneof(cut, doubled), { minLength: 30, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(many, async (cases) => {
        for (const name of files.names()) rmSync(files.in(name));
        await expectRefused(cases);
      }),
      { numRuns: 2 },
    );
  });

  test.each([
    ["an object", '{"from":"lead"}'],
    ["a string", '"text"'],
    ["null", "null"],
    ["no JSON at all", "<html>"],
    ["trailing content after the array", "[1] 2"],
    ["zeros, as after a power failure", "\0".repeat(40)],
    ["a byte order mark", "\ufeff[]"],
  ])("%s", async (_, content) => {
    await expectRefused([{ content: Buffer.from(content), mended: Buffer.from("[]") }]);
  });
});

describe("a file that is too large", () => {
  test("is not read at all", async () => {
    files.write([aRow("a")]);
    const size = 1024 ** 4;
    truncateSync(files.path, size);
    expect(await uses(inbox())).toEqual(refused(failure("too_large", String(size))));
    expect(lstatSync(files.path).size).toBe(size);
  });

  test("is never created: a row that does not fit is refused, and one that fits is appended", async () => {
    const one = inbox({ maxBytes: 1000 });
    const [large, small] = await Promise.all([
      one.append(aRow("large", { text: "x".repeat(900) })),
      one.append(aRow("small")),
    ]);
    expect(large).toEqual(failure("too_large", "1000"));
    expect(small).toEqual({ outcome: "appended", behind: null });
    expect(await one.change((rows) => [...rows, aRow("large", { text: "x".repeat(900) })])).toEqual(
      failure("too_large"),
    );
    expect(files.rows()).toEqual([aRow("small")]);
    expect(files.names()).toEqual(["builder.json"]);
  });

  test("may be as large as the limit", async () => {
    const text = JSON.stringify([aRow("a")], null, 2);
    expect(await inbox({ maxBytes: text.length }).append(aRow("a"))).toMatchObject({ outcome: "appended" });
    expect(await inbox({ maxBytes: text.length }).read()).toMatchObject({ outcome: "read" });
    expect(await inbox({ maxBytes: text.length - 1 }).read()).toEqual(failure("too_large"));
  });
});

describe("anything but a regular file", () => {
  const kinds: [kind: string, make: (path: string) => void][] = [
    ["a link to an inbox", (path) => symlinkSync("other.json", path)],
    ["a link to nothing", (path) => symlinkSync("nothing.json", path)],
    ["a directory", (path) => mkdirSync(path)],
    ["a pipe", (path) => spawnSync("mkfifo", [path])],
  ];

  test.each(kinds)("%s is neither read nor replaced", async (_, make) => {
    const other = JSON.stringify([aRow("other")]);
    writeFileSync(files.in("other.json"), other);
    make(files.path);
    const before = lstatSync(files.path);
    expect(await uses(inbox())).toEqual(refused(failure("link", files.path)));
    expect(lstatSync(files.path)).toMatchObject({ ino: before.ino, mode: before.mode });
    expect(readFileSync(files.in("other.json"), "utf8")).toBe(other);
    expect(files.names()).toEqual(["builder.json", "other.json"]);
  });
});

describe("a file that may not be written", () => {
  test("is read, and not replaced", async () => {
    files.write([aRow("a")]);
    chmodSync(files.path, 0o444);
    expect(await uses(inbox())).toEqual({
      read: { outcome: "read", rows: [aRow("a")] },
      appended: failure("read_only", files.path),
      changed: failure("read_only", files.path),
    });
    expect(files.rows()).toEqual([aRow("a")]);
    expect(files.names()).toEqual(["builder.json"]);
  });

  test("does not matter for a row that is already there", async () => {
    files.write([aRow("new")]);
    chmodSync(files.path, 0o444);
    expect(await inbox().append(aRow("new"))).toEqual({ outcome: "known" });
  });

  test("keeps its owner when the superuser writes to it", async ({ skip }) => {
    if (process.getuid?.() !== 0) skip();
    files.write([aRow("a")]);
    chownSync(files.path, 1234, 4321);
    expect(await inbox().append(aRow("b"))).toMatchObject({ outcome: "appended" });
    expect(lstatSync(files.path)).toMatchObject({ uid: 1234, gid: 4321 });
  });
});

describe("a directory that is missing", () => {
  test("is not created", async () => {
    const path = files.in("team/inboxes/builder.json");
    expect(await uses(new InboxFile(path))).toEqual(refused(failure("directory_missing", dirname(path))));
    expect(files.names()).toEqual([]);
  });

  test("includes a path that is a file", async () => {
    writeFileSync(files.in("inboxes"), "");
    expect(await uses(new InboxFile(files.in("inboxes/builder.json")))).toEqual(refused(failure("directory_missing")));
  });

  test("is noticed when it disappears during a write", async () => {
    mkdirSync(files.in("inboxes"));
    const path = files.in("inboxes/builder.json");
    const failPoint = (point: string) => {
      if (point === "inbox.written") rmSync(dirname(path), { recursive: true });
    };
    expect(await new InboxFile(path, { failPoint }).append(aRow("a"))).toEqual(failure("directory_missing"));
    expect(files.names()).toEqual([]);
  });
});

describe("another program's lock", () => {
  const lock = () => `${files.path}.lock`;
  const staleMs = 2000;

  test("is not broken while it is fresh", async () => {
    mkdirSync(lock());
    const before = lstatSync(lock());
    expect(await inbox({ lockMs: 50 }).append(aRow("a"))).toEqual(failure("locked", lock()));
    expect(lstatSync(lock())).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
    expect(files.names()).toEqual(["builder.json.lock"]);
  });

  test("that is kept fresh forever is never broken", async () => {
    mkdirSync(lock());
    const keeping = setInterval(() => utimesSync(lock(), new Date(), new Date()), 200);
    try {
      expect(await inbox({ lockMs: staleMs + 500, staleMs }).append(aRow("a"))).toEqual(failure("locked"));
    } finally {
      clearInterval(keeping);
    }
  });

  test("gets only a brief wait after a full wait failed, until it can be taken again", async () => {
    mkdirSync(lock());
    const settled: string[] = [];
    const locked = inbox({ lockMs: 1000 });
    const append = async (name: string, to: InboxFile) => {
      const { outcome } = await to.append(aRow(name));
      settled.push(`${name} ${outcome}`);
    };
    await append("first", locked);
    // Each of these is compared with one that started earlier and waits in full.
    await Promise.all([append("other", inbox({ lockMs: 1000 })), append("second", locked)]);
    rmdirSync(lock());
    await append("third", locked);
    mkdirSync(lock());
    const patient = append("fourth", locked);
    await append("brief", inbox({ lockMs: 100 }));
    rmdirSync(lock());
    await patient;
    expect(settled).toEqual([
      ...["first failed", "second failed", "other failed", "third appended", "brief failed", "fourth appended"],
    ]);
  });

  test("is waited for", async () => {
    mkdirSync(lock());
    const appending = inbox().append(aRow("a"));
    setTimeout(() => rmdirSync(lock()), 50);
    expect(await appending).toMatchObject({ outcome: "appended" });
  });

  test("is taken over when its owner has died", async () => {
    mkdirSync(lock());
    const old = new Date(Date.now() - 11_000);
    utimesSync(lock(), old, old);
    expect(await inbox().append(aRow("a"))).toMatchObject({ outcome: "appended" });
    expect(files.names()).toEqual(["builder.json"]);
  });

  test.each([
    ["a file", () => writeFileSync(lock(), "")],
    ["a directory that is not empty", () => mkdirSync(join(lock(), "inside"), { recursive: true })],
  ])("that is %s is left alone, even if it is old", async (_, make) => {
    make();
    const old = new Date(Date.now() - 60_000);
    utimesSync(lock(), old, old);
    expect(await inbox({ lockMs: 50 }).append(aRow("a"))).toEqual(failure("locked", lock()));
    expect(files.names()).toEqual(["builder.json.lock"]);
  });

  test("that took ours over stops the rename, and stays", async () => {
    let theirs = 0;
    const failPoint = (point: string) => {
      if (point !== "inbox.locked" || theirs !== 0) return;
      rmdirSync(lock());
      mkdirSync(lock());
      theirs = lstatSync(lock()).ctimeMs;
    };
    expect(await inbox({ failPoint, lockMs: 100 }).append(aRow("a"))).toEqual(failure("locked"));
    expect(lstatSync(lock()).ctimeMs).toBe(theirs);
    expect(files.names()).toEqual(["builder.json.lock"]);
  });
});

describe("a leftover of a process", () => {
  const deadPid = spawnSync("true").pid;
  const left = (pid: number, name = "builder.json") => `${name}.waybill-${pid}-1.tmp`;

  test("is removed on first use of the inbox if its process is dead and the file is ours", async () => {
    const foreign = ["builder.json.tmp", `builder.json.waybill-${deadPid}.tmp`, left(deadPid, "other.json")];
    for (const name of [left(deadPid), left(process.ppid), ...foreign]) writeFileSync(files.in(name), "[");
    expect(await inbox().read()).toEqual({ outcome: "missing" });
    expect(files.names()).toEqual([left(process.ppid), ...foreign].toSorted());
  });

  test("is removed when its process had the same id as this one", async () => {
    writeFileSync(files.in(left(process.pid)), "[");
    utimesSync(files.in(left(process.pid)), 1, 1);
    await inbox().append(aRow("a"));
    expect(files.names()).toEqual(["builder.json"]);
  });

  test("is left alone when this process may be writing it", async () => {
    writeFileSync(files.in(left(process.pid)), "[");
    await inbox().append(aRow("a"));
    expect(files.names()).toEqual(["builder.json", left(process.pid)]);
  });
});
