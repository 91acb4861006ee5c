/**
 * The flags that start Claude Code for a lane. Pure.
 * docs/claude.md explains each of them.
 */

import type { Lane } from "../../core/lane/lane.ts";
import { AppError } from "../../platform/app-error.ts";
import { ownTools } from "../descriptor.ts";
import type { Json } from "../json-fields.ts";
import { asList, asObject, asText } from "../json-fields.ts";
import type { AgentPermissions } from "../lane-directories.ts";
import { deniedToAgent } from "../lane-directories.ts";
import { toolServerName } from "../tool-servers.ts";

export type ClaudeArguments = {
  lane: Lane;
  sessionId: string;
  /** Whether the program already has a transcript of the session. */
  resumed: boolean;
  permissions: AgentPermissions | null;
  systemPrompt: string | null;
  /** The user's file of MCP servers; `toolsPath` is Waybill's own. */
  mcpConfigPath: string | null;
  toolsPath: string | null;
};

/** Tools that start turns without a prompt, or that bypass the ledger to talk to other agents. */
const disallowedTools = [
  "ScheduleWakeup",
  "CronCreate",
  "CronDelete",
  "Monitor",
  "Workflow",
  "SendMessage",
  "ListAgents",
];

/**
 * The first request; the response means that the program is ready. By default the program keeps the system prompt of
 * the session's first turn and ignores that of later starts. This is a field and not a flag because older versions
 * ignore unknown fields, but exit on an unknown flag.
 */
export const initializeParams = { systemPromptSnapshot: false } as const;

/** The program itself silently ignores an unknown agent. `response` is its response to the first request. */
export function checkAgent(agent: string | null, response: Json): void {
  if (agent === null) return;
  const known = asList(response.agents).flatMap((one) => asText(asObject(one)?.name ?? one) ?? []);
  if (known.length === 0 || known.includes(agent)) return;
  throw new AppError({
    code: "agent_unknown",
    message: `Claude Code has no agent "${agent}".`,
    hint: `Use one of ${known.join(", ")}.`,
  });
}

export function claudeArguments(settings: ClaudeArguments): string[] {
  const { lane, sessionId, resumed, permissions, systemPrompt, mcpConfigPath, toolsPath } = settings;
  // When two servers have the same name, the program uses the last one.
  const mcpConfigs = [mcpConfigPath, toolsPath].filter((path) => path !== null);
  return [
    "-p",
    ...["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
    ...["--include-partial-messages", "--replay-user-messages", "--permission-prompt-tool", "stdio"],
    ...[resumed ? "--resume" : "--session-id", sessionId],
    ...["--disallowedTools", disallowedTools.join(",")],
    ...(lane.model === null ? [] : ["--model", lane.model]),
    ...(lane.agent === null ? [] : ["--agent", lane.agent]),
    ...(systemPrompt === null ? [] : ["--append-system-prompt", systemPrompt]),
    ...(mcpConfigs.length === 0 ? [] : ["--mcp-config", ...mcpConfigs]),
    ...permissionArguments(lane.directory, permissions),
    ...allowedTools(permissions, toolsPath),
  ];
}

function permissionArguments(directory: string, permissions: AgentPermissions | null): string[] {
  if (!permissions) return [];
  const { policy } = permissions;
  const denied = deniedToAgent(directory, permissions)
    .map(escapeBrackets)
    .flatMap((pattern) => [`Read(/${pattern}/**)`, `Edit(/${pattern}/**)`]);
  // A mode in the user's or the project's own settings could allow edits without asking.
  const mode = policy === "safe" ? { defaultMode: "default" } : {};
  return [
    ...["--settings", JSON.stringify({ permissions: { deny: denied, ...mode } })],
    ...(policy === "trusted" ? ["--permission-mode", "acceptEdits"] : []),
  ];
}

/** Waybill's own tools need no permission under any policy. */
function allowedTools(permissions: AgentPermissions | null, toolsPath: string | null): string[] {
  const allowed = [
    ...(permissions?.policy === "trusted" ? ["Bash", "WebFetch", "WebSearch"] : []),
    ...(toolsPath === null ? [] : ownTools.map((tool) => `mcp__${toolServerName}__${tool}`)),
  ];
  return allowed.length === 0 ? [] : ["--allowedTools", allowed.join(",")];
}

/** Rules are .gitignore patterns, where brackets match one character. `*` and `?` also match themselves. */
function escapeBrackets(path: string): string {
  return path.replace(/[[\]]/g, "\\$&");
}

/** The program takes a prompt that begins with a slash as a command: `/clear` even changes the session. */
export function escapeSlash(text: string): string {
  return text.startsWith("/") ? ` ${text}` : text;
}
