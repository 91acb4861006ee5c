import { expect, test } from "vitest";
import { opensDenied } from "./lasting-permission.ts";
import { permissionRules } from "./permission-policy.ts";

const rules = permissionRules({
  policy: { bash: { "rm *": "deny" } },
  directory: "/home/me/project",
  worktree: "/",
  otherDirectories: [],
  stateDirectories: ["/home/me/.local/state/waybill"],
  agentRules: [],
  agents: [],
});

test.each([
  ["external_directory", "/home/me/*", true],
  ["external_directory", "/home/me/.local/state/*", true],
  ["external_directory", "/home/me/notes/*", false],
  ["external_directory", "/home/me/.local/state/waybill-notes/*", false],
  ["bash", "echo *", false],
  ["bash", "*", true],
  ["webfetch", "*", false],
])("%s of %s for ever opens what is denied: %s", (permission, pattern, opens) => {
  expect(opensDenied({ permission, always: [pattern] }, rules)).toBe(opens);
});
