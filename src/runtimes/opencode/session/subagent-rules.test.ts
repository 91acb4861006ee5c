import { describe, expect, test } from "vitest";
import type { OpencodePermissionPolicy, PermissionContext, PermissionRule } from "./permission-policy.ts";
import { permissionTable, sessionPermissionRules } from "./permission-policy.ts";
import type { Subagent } from "./subagent-rules.ts";

const rule = (permission: string, pattern: string, action: PermissionRule["action"]) => ({
  permission,
  pattern,
  action,
});

/** As OpenCode puts it together: what everybody may, the server's table, the definition. */
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

/** What is asked before each subagent begins. */
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

describe("a subagent is asked for", () => {
  test("that would do without asking what its lane's agent has to ask for", () => {
    expect(begun({})).toEqual({ tester: "ask", reader: "ask" });
  });

  test("that could edit in parts of the repository where the lane's agent asks", () => {
    expect(begun({ directory: "/repo/part" })).toEqual({ general: "ask", tester: "ask", reader: "ask" });
  });

  test("under a table of somebody's own, which may allow a part of what it asks for", () => {
    expect(begun({ policy: { bash: { "*": "ask", "ls *": "allow" } } })).toEqual({ tester: "ask", reader: "ask" });
  });
});

describe("no subagent is asked for", () => {
  test("where the agent may do everything in its directory, or where somebody else's server decides", () => {
    expect(begun({ policy: "trusted", directory: "/repo/part" })).toEqual({});
    expect(begun({ policy: null })).toEqual({});
  });

  test("where a table says itself what becomes of subtasks", () => {
    expect(begun({ policy: { bash: "ask", task: { tester: "deny" } } })).toEqual({ tester: "deny" });
    expect(begun({ policy: { "*": "deny", bash: "ask" } })).toEqual({});
  });

  test("that the lane's agent may not begin at all", () => {
    expect(begun({ agentRules: [rule("*", "*", "allow"), rule("task", "tester", "deny")] })).toMatchObject({
      tester: "deny",
      reader: "ask",
    });
  });
});
