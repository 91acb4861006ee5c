import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hasClaudeLogin } from "./claude/environment.ts";
import { hasOpencodeLogin } from "./opencode/environment.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waybill-logins-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

test("Claude Code has a login by a key, by its credentials, or by the account in its settings", () => {
  expect(hasClaudeLogin({ HOME: home })).toBe(false);
  expect(hasClaudeLogin({ HOME: home, ANTHROPIC_API_KEY: "key" })).toBe(true);
  write(".claude.json", "{}");
  expect(hasClaudeLogin({ HOME: home })).toBe(false);
  write(".claude.json", '{"oauthAccount":{"emailAddress":"ann@example.com"}}');
  expect(hasClaudeLogin({ HOME: home })).toBe(true);
  write("elsewhere/.credentials.json", "{}");
  expect(hasClaudeLogin({ HOME: "/nowhere", CLAUDE_CONFIG_DIR: join(home, "elsewhere") })).toBe(true);
});

test("OpenCode has a login by a key or an account, and may work without one", () => {
  expect(hasOpencodeLogin({ HOME: home })).toBeNull();
  expect(hasOpencodeLogin({ HOME: home, OPENAI_API_KEY: "key" })).toBe(true);
  write(".local/share/opencode/auth.json", "{}");
  expect(hasOpencodeLogin({ HOME: home })).toBeNull();
  write(".local/share/opencode/auth.json", '{"anthropic":{"type":"oauth"}}');
  expect(hasOpencodeLogin({ HOME: home })).toBe(true);
});
