import { describe, expect, test } from "vitest";
import type { OpencodePermissionPolicy, PermissionContext, PermissionRule } from "./permission-policy.ts";
import { permissionTable, sessionPermissionRules } from "./permission-policy.ts";
import type { Subagent } from "./subagent-rules.ts";

const rule = (permission: string, pattern: string, action: PermissionRule["action"]) => ({
  permission,
  pattern,
  action,
});

/** Combined like in OpenCode: the defaults, the server's table, the agent's definition. */
function subagent(
  name: string,
  definition: readonly PermissionRule[],
  policy: OpencodePermissionPolicy = "safe",
): Subagent {
  const table = Object.entries(permissionTable(policy)).flatMap(([permission, given]) =>
    Object.entries(typeof given === "string" ? { "*": given } : (given ?? {})).map(([pattern, action]) =>
      rule(permission, pattern, action),
    ),
  );
  return { name, permission: [rule("*", "*", "allow"), ...table, ...definition] };
}

const tester = [rule("bash", "*", "allow")];
const searcher = [rule("*", "*", "deny"), rule("grep", "*", "allow")];

/** The action for starting each subagent. */
function begun(given: Partial<PermissionContext>) {
  const policy = given.policy ?? "safe";
  const rules = sessionPermissionRules({
    policy,
    directory: "/repo",
    worktree: "/repo",
    otherDirectories: [],
    stateDirectories: ["/state"],
    agentRules: [],
    agents: [
      subagent("general", [], policy),
      subagent("searcher", searcher, policy),
      subagent("tester", tester, policy),
      subagent("reader", [rule("bash", "*", "ask"), rule("bash", "git log *", "allow")], policy),
    ],
    ...given,
  });
  const tasks = rules.filter(({ permission }) => permission === "task");
  return Object.fromEntries(tasks.map(({ pattern, action }) => [pattern, action]));
}

describe("starting a subagent needs a permission", () => {
  test("if it could do unasked what the lane's agent has to ask for", () => {
    expect(begun({})).toEqual({ tester: "ask", reader: "ask" });
  });

  test("if it could edit parts of the repository where the lane's agent has to ask", () => {
    expect(begun({ directory: "/repo/part" })).toEqual({ general: "ask", tester: "ask", reader: "ask" });
  });

  test("under a custom table, which may allow part of what it asks for", () => {
    expect(begun({ policy: { bash: { "*": "ask", "ls *": "allow" } } })).toEqual({ tester: "ask", reader: "ask" });
  });
});

describe("starting a subagent needs no permission", () => {
  test("if the agent may do everything in its directory, or if an attached server decides", () => {
    expect(begun({ policy: "trusted", directory: "/repo/part" })).toEqual({});
    expect(begun({ policy: null })).toEqual({});
  });

  test("if a table has its own rule for subtasks", () => {
    expect(begun({ policy: { bash: "ask", task: { tester: "deny" } } })).toEqual({ tester: "deny" });
    expect(begun({ policy: { "*": "deny", bash: "ask" } })).toEqual({});
  });

  test("if the lane's agent may not start it at all", () => {
    expect(begun({ agentRules: [rule("*", "*", "allow"), rule("task", "tester", "deny")] })).toMatchObject({
      tester: "deny",
      reader: "ask",
    });
  });
});
