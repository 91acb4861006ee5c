import { describe, expect, test } from "vitest";
import { aLane } from "../../../test/support/daemon/waybill.ts";
import type { Lane } from "../../core/lane/lane.ts";
import type { ClaudeArguments } from "./arguments.ts";
import { claudeArguments, escapeSlash, initializeParams } from "./arguments.ts";

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

/** The value after a flag; undefined if the flag is absent. */
const given = (args: readonly string[], flag: string) =>
  args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined;
const deniedBy = (of: ClaudeArguments) => JSON.parse(given(claudeArguments(of), "--settings") ?? "").permissions.deny;

describe("a program", () => {
  test("starts a session that it does not know, and resumes one that it knows", () => {
    const begun = claudeArguments(usual);
    expect(given(begun, "--session-id")).toBe("session");
    expect(begun).not.toContain("--resume");
    const resumed = claudeArguments({ ...usual, resumed: true });
    expect(given(resumed, "--resume")).toBe("session");
    expect(resumed).not.toContain("--session-id");
  });

  test("gets the lane's model and agent, the system prompt and the MCP servers", () => {
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

  test("is asked not to keep the system prompt of its session's first turn", () => {
    expect(initializeParams).toEqual({ systemPromptSnapshot: false });
  });

  test("gets no flags for settings that are not set", () => {
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

  test("need a permission, unless the policy is trusted", () => {
    const safe = claudeArguments({ ...usual, permissions });
    expect(safe).not.toContain("--permission-mode");
    expect(JSON.parse(given(safe, "--settings") ?? "").permissions.defaultMode).toBe("default");
    const trusted = claudeArguments({ ...usual, permissions: { ...permissions, policy: "trusted" } });
    expect(given(trusted, "--permission-mode")).toBe("acceptEdits");
    expect(given(trusted, "--allowedTools")?.split(",")).toContain("Bash");
  });

  test("include Waybill's own, which need no permission under any policy and do not replace the user's servers", () => {
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

  test("are kept out of a directory with brackets in its name, although brackets are a pattern", () => {
    const denied = deniedBy({ ...usual, permissions: { ...permissions, stateDirectories: ["/srv/[id] a"] } });
    expect(denied).toEqual(["Read(//srv/\\[id\\] a/**)", "Edit(//srv/\\[id\\] a/**)"]);
  });

  test("may use their own directory and anything inside or around it, even if another lane works there", () => {
    const otherDirectories = ["/srv/work", "/srv/work/inner", "/srv", "/srv/work2", "/srv/..work"];
    const denied = deniedBy({ ...usual, permissions: { ...permissions, stateDirectories: [], otherDirectories } });
    expect(denied.filter((rule: string) => rule.startsWith("Read"))).toEqual([
      "Read(//srv/work2/**)",
      "Read(//srv/..work/**)",
    ]);
  });
});

test("a prompt that begins with a slash is not a command", () => {
  expect(escapeSlash("/clear")).not.toMatch(/^\//);
  expect(escapeSlash("/clear").trim()).toBe("/clear");
  expect(escapeSlash("see /clear")).toBe("see /clear");
});
