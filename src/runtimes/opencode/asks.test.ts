import { expect, test } from "vitest";
import { allowsDenied } from "./asks.ts";
import { sessionPermissionRules } from "./permissions/permission-policy.ts";

const rules = sessionPermissionRules({
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
])("granting %s for %s with `always` allows something denied: %s", (permission, pattern, opens) => {
  expect(allowsDenied({ permission, always: [pattern] }, rules)).toBe(opens);
});
