import { describe, expect, test } from "vitest";
import type { PermissionContext, PermissionRule, Subagent } from "./permission-policy.ts";
import { endsWith, sessionPermissionRules } from "./permission-policy.ts";
import type { OpencodePermissionPolicy } from "./permission-table.ts";
import { permissionTable, withPermissions } from "./permission-table.ts";

const ground: PermissionContext = {
  policy: "safe",
  directory: "/home/me/project",
  worktree: "/",
  otherDirectories: [],
  stateDirectories: ["/home/me/.local/state/waybill"],
  agentRules: [],
  agents: [],
};

/** Decides like OpenCode: the last matching rule, or `allow` if none matches. */
function decided(rules: readonly PermissionRule[], permission: string, subject: string): string {
  const fits = (pattern: string) =>
    new RegExp(
      `^${pattern
        .replace(/[.+^${}()|[\]\\]/g, "\\$&")
        .replaceAll("*", ".*")
        .replaceAll("?", ".")}$`,
      "s",
    ).test(subject);
  return rules.findLast((rule) => rule.permission === permission && fits(rule.pattern))?.action ?? "allow";
}

const deciding = (given: Partial<PermissionContext>) => {
  const rules = sessionPermissionRules({ ...ground, ...given });
  return (permission: string, subject: string) => decided(rules, permission, subject);
};

describe("safe", () => {
  const action = deciding({});

  test("asks only for shell, network and other directories", () => {
    expect(action("bash", "ls")).toBe("ask");
    expect(action("webfetch", "https://example.org")).toBe("ask");
    expect(action("websearch", "weather")).toBe("ask");
    expect(action("external_directory", "/etc/*")).toBe("ask");
    expect(action("edit", "home/me/project/a.ts")).toBe("allow");
    expect(action("read", "home/me/project/a.ts")).toBe("allow");
  });

  test("lets the agent read the directory where OpenCode keeps long results", () => {
    expect(action("external_directory", "/home/me/.local/share/opencode/tool-output/*")).toBe("allow");
  });

  test("asks for edits in other parts of the repository, and only there", () => {
    const part = deciding({ directory: "/repo/part", worktree: "/repo" });
    expect(part("edit", "part/a.ts")).toBe("allow");
    expect(part("edit", "b.ts")).toBe("ask");
    expect(part("edit", "partner/b.ts")).toBe("ask");
    const whole = deciding({ directory: "/repo", worktree: "/repo" });
    expect(whole("edit", "b.ts")).toBe("allow");
  });

  test("does not treat a star in a directory's name as a wildcard", () => {
    const starred = { directory: "/repo/p*", worktree: "/repo", otherDirectories: ["/repo/a*"] };
    const action = deciding(starred);
    expect(action("edit", "p*/a.ts")).toBe("allow");
    expect(action("edit", "part/a.ts")).toBe("ask");
    expect(action("read", "a*/b.ts")).toBe("deny");
    expect(action("read", "apart/b.ts")).toBe("allow");
  });

  test("keeps the restrictions of an agent that may do less", () => {
    const agentRules: PermissionRule[] = [
      { permission: "*", pattern: "*", action: "allow" },
      { permission: "edit", pattern: "*", action: "deny" },
      { permission: "bash", pattern: "rm *", action: "deny" },
      { permission: "bash", pattern: "rm tmp", action: "allow" },
    ];
    const planner = deciding({ agentRules, directory: "/repo/part", worktree: "/repo" });
    expect(planner("edit", "part/a.ts")).toBe("deny");
    expect(planner("bash", "rm -r x")).toBe("deny");
    expect(planner("bash", "rm tmp")).toBe("ask");
    expect(planner("bash", "ls")).toBe("ask");
    const none = deciding({ agentRules: [{ permission: "*", pattern: "*", action: "deny" }] });
    expect(none("bash", "ls")).toBe("deny");
  });
});

test("trusted asks only for other directories", () => {
  const action = deciding({ policy: "trusted" });
  expect(action("bash", "ls")).toBe("allow");
  expect(action("webfetch", "https://example.org")).toBe("allow");
  expect(action("read", "home/me/project/.env")).toBe("allow");
  expect(action("external_directory", "/etc/*")).toBe("ask");
});

test("a custom table decides everything except the denials", () => {
  const action = deciding({ policy: { bash: { "*": "ask", "git *": "allow" }, external_directory: "allow" } });
  expect(action("bash", "git status")).toBe("allow");
  expect(action("bash", "ls")).toBe("ask");
  expect(action("external_directory", "/etc/*")).toBe("allow");
  expect(action("external_directory", "/home/me/.local/state/waybill/*")).toBe("deny");
});

describe("a lane is denied", () => {
  test("Waybill's state directory and everything below it, with every policy and on every server", () => {
    for (const policy of ["safe", "trusted", {}, null] as const) {
      const action = deciding({ policy });
      expect(action("external_directory", "/home/me/.local/state/waybill")).toBe("deny");
      expect(action("external_directory", "/home/me/.local/state/waybill/demo/*")).toBe("deny");
      expect(action("external_directory", "/home/me/.local/state/waybill-notes/*")).not.toBe("deny");
    }
  });

  test("directories of other lanes, unless they are equal or one contains the other", () => {
    const otherDirectories = ["/home/me/other", "/home/me/project", "/home/me/project/part", "/home/me"];
    const action = deciding({ otherDirectories });
    expect(action("external_directory", "/home/me/other/*")).toBe("deny");
    expect(action("external_directory", "/home/me/project/part/*")).toBe("ask");
    expect(action("external_directory", "/home/me/*")).toBe("ask");
    expect(action("edit", "home/me/project/part/a.ts")).toBe("allow");
  });

  test("files in them, even inside its own repository or directory", () => {
    const action = deciding({ directory: "/repo/part", worktree: "/repo", otherDirectories: ["/repo/neighbour"] });
    expect(action("read", "neighbour/a.ts")).toBe("deny");
    expect(action("edit", "neighbour/a.ts")).toBe("deny");
    const home = deciding({ directory: "/home/me" });
    expect(home("read", "home/me/.local/state/waybill/token")).toBe("deny");
    expect(home("read", "home/me/notes")).toBe("allow");
  });

  test("not its own files if its directory is inside the state directory, as in the demo", () => {
    const action = deciding({ directory: "/home/me/.local/state/waybill/demo/work" });
    expect(action("edit", "home/me/.local/state/waybill/demo/work/a.ts")).toBe("allow");
    expect(action("external_directory", "/home/me/.local/state/waybill/*")).toBe("deny");
  });
});

test("on a server that Waybill did not start, only the denials apply", () => {
  const rules = sessionPermissionRules({ ...ground, policy: null });
  expect(new Set(rules.map((rule) => rule.action))).toEqual(new Set(["deny"]));
});

test("the server's table has no rule for edits, which agents decide themselves", () => {
  const tools = { "waybill-*": "deny" };
  const trusted = { bash: "allow", webfetch: "allow", websearch: "allow", read: "allow" };
  expect(permissionTable("safe")).toEqual({ bash: "ask", webfetch: "ask", websearch: "ask", ...tools });
  expect(permissionTable("trusted")).toEqual({ ...trusted, ...tools });
  expect(Object.entries(permissionTable({ "*": "allow" }))).toEqual([
    ["*", "allow"],
    ["waybill-*", "deny"],
  ]);
});

test("the rest of the server's configuration stays unchanged", () => {
  expect(JSON.parse(withPermissions('{"model":"a/b","permission":"allow"}', "safe"))).toEqual({
    model: "a/b",
    permission: permissionTable("safe"),
  });
  expect(JSON.parse(withPermissions(undefined, {}))).toEqual({ permission: { "waybill-*": "deny" } });
});

test("rules are written again only if they are not already the last ones", () => {
  const rules = sessionPermissionRules(ground);
  expect(endsWith([], rules)).toBe(false);
  expect(endsWith(rules, rules)).toBe(true);
  expect(endsWith([...sessionPermissionRules({ ...ground, policy: "trusted" }), ...rules], rules)).toBe(true);
  expect(endsWith([...rules, ...sessionPermissionRules({ ...ground, policy: "trusted" })], rules)).toBe(false);
});

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
