import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { memberToken } from "./mcp.ts";

function tokenFile(content: string): string {
  const directory = mkdtempSync(join(tmpdir(), "waybill-token-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "token");
  writeFileSync(path, content);
  return path;
}

test("is read from the given file, else from the environment", () => {
  const [one, other] = [tokenFile("one\n"), tokenFile("other\n")];
  const env = { WAYBILL_MCP_TOKEN_FILE: other, WAYBILL_MCP_TOKEN: "third" };
  expect(memberToken(one, env)).toBe("one");
  expect(memberToken(undefined, env)).toBe("other");
  expect(memberToken(undefined, { WAYBILL_MCP_TOKEN: "third" })).toBe("third");
});

const noToken = (words: string) =>
  expect.objectContaining({ code: "no_token", message: expect.stringContaining(words) });

test("a missing token is reported", () => {
  expect(() => memberToken(undefined, {})).toThrow(noToken("No member token was given."));
  expect(() => memberToken(tokenFile(" \n"), {})).toThrow(noToken("There is no token in"));
  const env = { WAYBILL_MCP_TOKEN: "third" };
  expect(() => memberToken("/nowhere/token", env)).toThrow(noToken("/nowhere/token cannot be read (ENOENT)"));
});
