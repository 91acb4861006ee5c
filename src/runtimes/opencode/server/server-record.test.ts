import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ServerRecord } from "./server-record.ts";
import { readServerRecord, removeServerRecord, writeServerRecord } from "./server-record.ts";

let directory: string;
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), "waybill-record-")), "opencode");
});
afterEach(() => rmSync(join(directory, ".."), { recursive: true, force: true }));

const record: ServerRecord = {
  nonce: "n",
  url: "http://127.0.0.1:4096",
  password: "p",
  passwordIsRandom: true,
  port: 4096,
  startedAt: 1,
  fingerprint: "f",
  pid: null,
  processStart: null,
};

describe("the record of a server", () => {
  test("is read as it was written, only by its owner, and leaves no other file behind", () => {
    writeServerRecord(directory, record);
    writeServerRecord(directory, { ...record, pid: 7, processStart: "boot:1" });
    expect(readServerRecord(directory)).toEqual({ ...record, pid: 7, processStart: "boot:1" });
    expect(readdirSync(directory)).toEqual(["server.json"]);
    expect(statSync(join(directory, "server.json")).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  test("is null if there is no file, or if the file is not a record", () => {
    expect(readServerRecord(directory)).toBeNull();
    writeServerRecord(directory, record);
    writeFileSync(join(directory, "server.json"), "{");
    expect(readServerRecord(directory)).toBeNull();
    writeFileSync(join(directory, "server.json"), '{"pid":1}');
    expect(readServerRecord(directory)).toBeNull();
    removeServerRecord(directory);
    removeServerRecord(directory);
  });
});
