/** File locks are unreliable on network filesystems, so nothing that needs them is kept there. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { networkFilesystemOf } from "./network-filesystem.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "waybill-network-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it.each([
  [0x6969, "NFS"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
])("knows filesystem type %i by its name, %s", (type, name) => {
  expect(networkFilesystemOf(directory, () => type)).toBe(name);
});

it("recognizes a type that the kernel reports as a negative number", () => {
  expect(networkFilesystemOf(directory, () => 0xff534d42 | 0)).toBe("CIFS");
});

it("accepts a local filesystem", () => {
  expect(networkFilesystemOf(directory, () => 0xef53)).toBeNull();
  expect(networkFilesystemOf(directory)).toBeNull();
});

it("checks the nearest existing directory if the directory does not exist yet", () => {
  const asked: string[] = [];
  networkFilesystemOf(join(directory, "not/yet/waybill.db"), (place) => {
    asked.push(place);
    return 0xef53;
  });
  expect(asked).toEqual([directory]);
});
