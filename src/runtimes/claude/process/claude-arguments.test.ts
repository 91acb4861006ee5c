import { describe, expect, test } from "vitest";
import { aLane } from "../../../../test/support/waybill.ts";
import type { Lane } from "../../../core/lane/lane.ts";
import type { ClaudeArguments } from "./claude-arguments.ts";
import { claudeArguments, escapeSlash, initializeRequest } from "./claude-arguments.ts";

const lane: Lane = {
  ...aLane({ runtime: "claude", directory: "/srv/work" }),
  sessionId: "session",
  version: 1,
  generation: 1,

  pausedReason: null,
  teamHold: null,
};
const usual: ClaudeArguments = {
  lane,
  sessionId: "session",
  resumed: false,
  permissions: null,
  systemPrompt: null,
  mcpConfigPath: null,
  toolsPath: null,
};

/** What follows a flag, or undefined where it is not given. */
const given = (args: readonly string[], flag: string) =>
  args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined;
const deniedBy = (of: ClaudeArguments) => JSON.parse(given(claudeArguments(of), "--settings") ?? "").permissions.deny;

describe("a program", () => {
  test("begins a session that it does not know, and goes on in one that it knows", () => {
    const begun = claudeArguments(usual);
    expect(given(begun, "--session-id")).toBe("session");
    expect(begun).not.toContain("--resume");
    const resumed = claudeArguments({ ...usual, resumed: true });
    expect(given(resumed, "--resume")).toBe("session");
    expect(resumed).not.toContain("--session-id");
  });

  test("has the lane's model and agent, and what it is told beside", () => {
    const args = claudeArguments({
      ...usual,
      lane: { ...lane, model: "opus", agent: "reviewer" },
      systemPrompt: "Be brief.",
      mcpConfigPath: "/etc/mcp.json",
    });
    expect(given(args, "--model")).toBe("opus");
    expect(given(args, "--agent")).toBe("reviewer");
    expect(given(args, "--append-system-prompt")).toBe("Be brief.");
    expect(given(args, "--mcp-config")).toBe("/etc/mcp.json");
  });

  test("is asked not to hold on to the system prompt of its session's first turn", () => {
    expect(initializeRequest).toEqual({ subtype: "initialize", systemPromptSnapshot: false });
  });

  test("is told nothing of what nobody set", () => {
    const args = claudeArguments(usual);
    for (const flag of ["--model", "--agent", "--append-system-prompt", "--mcp-config", "--settings"]) {
      expect(args).not.toContain(flag);
    }
  });

  test.each(["ScheduleWakeup", "CronCreate", "Monitor", "Workflow", "SendMessage"])("cannot use %s", (tool) => {
    expect(given(claudeArguments(usual), "--disallowedTools")?.split(",")).toContain(tool);
  });
});

describe("a program's tools", () => {
  const permissions = { policy: "safe" as const, stateDirectories: ["/home/ann/.waybill"], otherDirectories: [] };

  test("ask, unless they are trusted", () => {
    const safe = claudeArguments({ ...usual, permissions });
    expect(safe).not.toContain("--permission-mode");
    expect(JSON.parse(given(safe, "--settings") ?? "").permissions.defaultMode).toBe("default");
    const trusted = claudeArguments({ ...usual, permissions: { ...permissions, policy: "trusted" } });
    expect(given(trusted, "--permission-mode")).toBe("acceptEdits");
    expect(given(trusted, "--allowedTools")?.split(",")).toContain("Bash");
  });

  test("of Waybill's own need no permission under any policy, and leave the user's servers where they are", () => {
    for (const of of [null, permissions, { ...permissions, policy: "trusted" as const }]) {
      const args = claudeArguments({
        ...usual,
        permissions: of,
        mcpConfigPath: "/etc/mcp.json",
        toolsPath: "/state/t",
      });
      expect(given(args, "--allowedTools")?.split(",")).toContain("mcp__waybill__message_send");
      expect(args.join(" ")).toContain("--mcp-config /etc/mcp.json /state/t --");
      expect(args).not.toContain("--strict-mcp-config");
    }
  });

  test.each(["safe", "trusted"] as const)("are kept out of Waybill's state and other lanes: %s", (policy) => {
    const denied = deniedBy({ ...usual, permissions: { ...permissions, policy, otherDirectories: ["/srv/other"] } });
    expect(denied).toEqual([
      "Read(//home/ann/.waybill/**)",
      "Edit(//home/ann/.waybill/**)",
      "Read(//srv/other/**)",
      "Edit(//srv/other/**)",
    ]);
  });

  test("are kept out of a directory with brackets in its name, which would be a pattern", () => {
    const denied = deniedBy({ ...usual, permissions: { ...permissions, stateDirectories: ["/srv/[id] a"] } });
    expect(denied).toEqual(["Read(//srv/\\[id\\] a/**)", "Edit(//srv/\\[id\\] a/**)"]);
  });

  test("may use what lies within their own directory, or around it, though another lane is there", () => {
    const otherDirectories = ["/srv/work", "/srv/work/inner", "/srv", "/srv/work2", "/srv/..work"];
    const denied = deniedBy({ ...usual, permissions: { ...permissions, stateDirectories: [], otherDirectories } });
    expect(denied.filter((rule: string) => rule.startsWith("Read"))).toEqual([
      "Read(//srv/work2/**)",
      "Read(//srv/..work/**)",
    ]);
  });
});

test("a text that begins with a slash is no command", () => {
  expect(escapeSlash("/clear")).not.toMatch(/^\//);
  expect(escapeSlash("/clear").trim()).toBe("/clear");
  expect(escapeSlash("see /clear")).toBe("see /clear");
});
