import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureToken, newToken } from "./token.ts";

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "waybill-token-"));
  path = join(directory, "token");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("is created once, with 256 bits, readable only by its owner", () => {
  const { token, wasOpen } = ensureToken(path);
  expect(Buffer.from(token, "base64url")).toHaveLength(32);
  expect(wasOpen).toBe(false);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(ensureToken(path).token).toBe(token);
  expect(readFileSync(path, "utf8").trim()).toBe(token);
});

test("does not begin with a dash, which would look like an option", () => {
  const drawn = [Buffer.alloc(32, 0xf8), Buffer.alloc(32, 1)];
  expect(newToken(() => drawn.shift() as Buffer)).toBe(Buffer.alloc(32, 1).toString("base64url"));
});

test("a file that others could read is made private, and this is reported", () => {
  const { token } = ensureToken(path);
  writeFileSync(join(directory, "open"), token, { mode: 0o644 });
  expect(ensureToken(join(directory, "open"))).toEqual({ token, wasOpen: true });
  expect(statSync(join(directory, "open")).mode & 0o777).toBe(0o600);
});

test.each(["", "short", "with spaces in it and long enough to be one, is it not"])("%j is not a token", (content) => {
  writeFileSync(path, content, { mode: 0o600 });
  expect(() => ensureToken(path)).toThrow(expect.objectContaining({ code: "token_invalid" }));
});

test("a missing directory is a clear error", () => {
  expect(() => ensureToken(join(directory, "nowhere", "token"))).toThrow(
    expect.objectContaining({ code: "token_unavailable" }),
  );
});
