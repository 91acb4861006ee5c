/** The text in addition to an agent's own instructions: which files can be used, and the errors for the rest. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { maxSystemBytes } from "../core/message/message.ts";
import { maxBytes, readSystemPrompt, withPromptSystem } from "./system-prompt.ts";

const directory = mkdtempSync(join(tmpdir(), "waybill-system-prompt-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

describe("a system prompt", () => {
  test("is the current text of the file", async () => {
    const path = file("changes.md", "Be brief.\n");
    expect(await readSystemPrompt(path)).toEqual({ text: "Be brief." });
    file("changes.md", "\uFEFFRede deutsch, ausführlich.");
    expect(await readSystemPrompt(path)).toEqual({ text: "Rede deutsch, ausführlich." });
  });

  test("may be as large as the limit", async () => {
    expect(await readSystemPrompt(file("full.md", "x".repeat(maxBytes)))).toEqual({ text: "x".repeat(maxBytes) });
  });

  test("is null if no file is configured, or if the file is empty", async () => {
    expect(await readSystemPrompt(undefined)).toEqual({ text: null });
    expect(await readSystemPrompt(file("empty.md", " \n"))).toEqual({ text: null });
  });

  test("comes before the text that a prompt adds", () => {
    expect(withPromptSystem("Be brief.", "Be kind.")).toBe("Be brief.\n\nBe kind.");
    expect(withPromptSystem(null, "Be kind.")).toBe("Be kind.");
    expect([withPromptSystem("Be brief.", undefined), withPromptSystem(null, undefined)]).toEqual(["Be brief.", null]);
  });

  test("fits into one program argument together with the text that a prompt adds", () => {
    const longest = withPromptSystem("x".repeat(maxBytes), "x".repeat(maxSystemBytes)) ?? "";
    const refused = (length: number) => spawnSync("true", ["x".repeat(length)]).error !== undefined;
    expect([refused(longest.length), refused(128 * 1024)]).toEqual([false, process.platform === "linux"]);
  });

  test.each([
    { what: "is missing", path: () => join(directory, "nowhere.md"), why: "does not exist" },
    { what: "is a directory", path: () => directory, why: "is not a file" },
    { what: "is a pipe", path: pipe, why: "is not a file" },
    { what: "is too large", path: () => file("large.md", "x".repeat(maxBytes + 1)), why: "is larger than 64 KiB" },
    { what: "is not text", path: () => file("binary.md", Buffer.from([0xff, 0xfe, 0x00])), why: "is not UTF-8 text" },
  ])("that $what cannot be used, and the reason is given", async ({ path, why }) => {
    const place = path();
    expect(await readSystemPrompt(place)).toEqual({ unusable: `system_prompt_unusable: ${place} ${why}` });
  });
});

/** Reading it would block until somebody writes. */
function pipe(): string {
  const path = join(directory, "pipe");
  execFileSync("mkfifo", [path]);
  return path;
}
