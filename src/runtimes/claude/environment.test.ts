import { expect, test } from "vitest";
import { claudeEnvironment } from "./environment.ts";

test("the program gets the variables that it, its provider and its tools need", () => {
  const given = { PATH: "/bin", HOME: "/home/ann", ANTHROPIC_API_KEY: "key", CLAUDE_CONFIG_DIR: "/config" };
  expect(claudeEnvironment(given)).toMatchObject(given);
});

test.each([
  "WAYBILL_TOKEN",
  "TELEGRAM_BOT_TOKEN",
  "CLAUDECODE",
  "CLAUDE_BIN",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_CHILD_SESSION",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_SKIP_PROMPT_HISTORY",
  "CLAUDE_PROJECT_DIR",
  "OPENCODE_CONFIG",
])("the program does not get %s", (name) => {
  expect(claudeEnvironment({ PATH: "/bin", [name]: "x" })).not.toHaveProperty(name);
});

test("by default subagents end with their turn, and the user can override defaults", () => {
  expect(claudeEnvironment({}).CLAUDE_CODE_DISABLE_BACKGROUND_TASKS).toBe("1");
  expect(claudeEnvironment({ CLAUDE_CODE_MAX_RETRIES: "10" }).CLAUDE_CODE_MAX_RETRIES).toBe("10");
});
