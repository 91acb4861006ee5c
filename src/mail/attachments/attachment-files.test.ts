import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../../test/support/core/manual-clock.ts";
import type { AttachmentFiles } from "./attachment-files.ts";
import { attachmentFiles } from "./attachment-files.ts";

const day = 24 * 3600_000;
const hello = Buffer.from("hello");
const helloId = createHash("sha256").update(hello).digest("hex");

let directory: string;
let clock: ManualClock;
let files: AttachmentFiles;

beforeEach(() => {
  const home = mkdtempSync(join(tmpdir(), "waybill-attachments-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  directory = join(home, "attachments");
  clock = new ManualClock();
  files = attachmentFiles({ directory, maxBytes: 100, clock });
});

const store = (content: Uint8Array | string = hello, name = "hello.txt", mimeType = "text/plain") =>
  files.store({ name, mimeType, bytes: Buffer.from(content) });
const none = async () => new Set<string>();

async function* chunks(...parts: readonly string[]) {
  for (const part of parts) yield Buffer.from(part);
}

describe("storing", () => {
  test("keeps the bytes under their hash, for their owner only", async () => {
    expect(await store()).toEqual({ id: helloId, name: "hello.txt", mimeType: "text/plain", size: 5 });
    const path = join(directory, helloId);
    expect(await files.find(helloId)).toEqual({
      ...{ id: helloId, name: "hello.txt", mimeType: "text/plain", size: 5, path },
    });
    expect(readFileSync(path, "utf8")).toBe("hello");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(`${path}.json`).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  test("takes a stream, however it is chunked", async () => {
    const stored = await files.store({
      ...{ name: "a.png", mimeType: "text/plain", stream: chunks("\x00".slice(1), "he", "l", "lo") },
    });
    expect(stored).toMatchObject({ id: helloId, size: 5 });
  });

  test("detects the type from the first bytes, even if they arrive one by one", async () => {
    const png = [...Buffer.from("\x89PNG\r\n\x1a\n", "latin1")].map((byte) => Uint8Array.of(byte));
    const stream = (async function* () {
      yield* png;
    })();
    expect(await files.store({ name: "a", mimeType: "text/plain", stream })).toMatchObject({ mimeType: "image/png" });
  });

  test("keeps the same bytes once", async () => {
    await Promise.all([store(), store(), store(hello, "other.txt")]);
    expect(readdirSync(directory).sort()).toEqual([helloId, `${helloId}.json`]);
  });

  test("refuses a file that is too large, and leaves nothing behind", async () => {
    await expect(store("x".repeat(101))).rejects.toMatchObject({ code: "attachment_too_large" });
    const stream = chunks("x".repeat(60), "x".repeat(60));
    await expect(files.store({ name: "a", mimeType: "text/plain", stream })).rejects.toMatchObject({
      code: "attachment_too_large",
    });
    expect(readdirSync(directory)).toEqual([]);
    expect(await store("x".repeat(100))).toMatchObject({ size: 100 });
  });

  test("leaves nothing behind when the stream breaks", async () => {
    const stream = (async function* () {
      yield hello;
      throw new Error("connection lost");
    })();
    await expect(files.store({ name: "a", mimeType: "text/plain", stream })).rejects.toThrow("connection lost");
    expect(readdirSync(directory)).toEqual([]);
  });

  test.each([
    ["../../etc/passwd", "passwd"],
    ["C:\\temp\\a.txt", "a.txt"],
    ["a\r\nb.txt", "ab.txt"],
    ["..", ".."],
    ["/", "file"],
  ])("the name %j becomes %j", async (given, kept) => {
    expect(await store(hello, given)).toMatchObject({ name: kept });
  });
});

describe("finding", () => {
  test.each(["", "..", "../attachments", `${helloId}.json`, helloId.toUpperCase(), "0".repeat(64)])(
    "%j is not an attachment",
    async (id) => {
      await store();
      expect(await files.find(id)).toBeNull();
      expect(await files.hold(id)).toBeNull();
    },
  );

  test("a file without its description can still be read", async () => {
    await store();
    rmSync(join(directory, `${helloId}.json`));
    expect(await files.find(helloId)).toMatchObject({ name: "file", mimeType: "application/octet-stream", size: 5 });
    writeFileSync(join(directory, `${helloId}.json`), "{");
    expect(await files.find(helloId)).toMatchObject({ name: "file" });
  });
});

describe("pruning", () => {
  test("removes a file that no message names after a day, and not before", async () => {
    await store();
    await clock.advance(day);
    expect(await files.prune(none)).toBe(0);
    await clock.advance(1000);
    expect(await files.prune(none)).toBe(1);
    expect(readdirSync(directory).filter((name) => !name.endsWith(".json"))).toEqual([]);
  });

  test("keeps a file that a message names", async () => {
    await store();
    const other = await store("other");
    await clock.advance(10 * day);
    expect(await files.prune(async (ids) => new Set(ids.filter((id) => id === helloId)))).toBe(1);
    expect(await files.find(helloId)).not.toBeNull();
    expect(await files.find(other.id)).toBeNull();
  });

  test("storing a file again or holding it restarts its day", async () => {
    await store();
    await clock.advance(2 * day);
    await store();
    expect(await files.prune(none)).toBe(0);
    await clock.advance(2 * day);
    await files.hold(helloId);
    expect(await files.prune(none)).toBe(0);
  });

  test("keeps a file that a message starts to name during the lookup", async () => {
    await store();
    await clock.advance(2 * day);
    const namedMeanwhile = async () => {
      await files.hold(helloId);
      return new Set<string>();
    };
    expect(await files.prune(namedMeanwhile)).toBe(0);
    expect(await files.find(helloId)).not.toBeNull();
  });

  test("removes the leftovers of interrupted writes", async () => {
    await store();
    const left = join(directory, "incoming-1");
    writeFileSync(left, "half");
    await clock.advance(2 * day + Math.max(0, Date.now() - clock.now()));
    await files.prune(async (ids) => new Set(ids.filter((id) => id === helloId)));
    expect(existsSync(left)).toBe(false);
    expect(readdirSync(directory).sort()).toEqual([helloId, `${helloId}.json`]);
  });

  test("removes nothing if nothing was ever stored", async () => {
    expect(await files.prune(none)).toBe(0);
  });
});
