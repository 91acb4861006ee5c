/**
 * The flags that a Claude Code program of a lane is started with. Pure.
 * docs/claude.md says what each of them was seen to do.
 */
import { isAbsolute, relative, sep } from "node:path";
import { AppError } from "../../../app-error.ts";
import type { Lane } from "../../../core/lane/lane.ts";
import type { Json } from "../../json-fields.ts";
import { asList, asObject, asText } from "../../json-fields.ts";

export type ClaudePermissions = {
  /** What the tools may do without asking. A table is OpenCode's, and means `safe` here. */
  policy: "safe" | "trusted";
  stateDirectories: readonly string[];
  otherDirectories: readonly string[];
};

export type ArgumentsFor = {
  lane: Lane;
  sessionId: string;
  /** Whether the program has a transcript of the session already. */
  isKnown: boolean;
  permissions: ClaudePermissions | null;
  systemPrompt: string | null;
  mcpConfigPath: string | null;
};

/** They start turns that nobody prompted, or talk to other agents past the ledger. */
const unwanted = ["ScheduleWakeup", "CronCreate", "CronDelete", "Monitor", "Workflow", "SendMessage", "ListAgents"];

/**
 * What a program is asked first; its answer says that it is ready. By default it would go on with the system prompt of
 * the session's first turn, whatever a later start says. A version that does not know the field passes over it, where an
 * unknown flag would end it.
 */
export const firstRequest = { subtype: "initialize", systemPromptSnapshot: false } as const;

/** The program would go on without an agent that it does not know. `ready` is its answer to the first request. */
export function checkAgent(agent: string | null, ready: Json): void {
  if (agent === null) return;
  const known = asList(ready.agents).flatMap((one) => asText(asObject(one)?.name ?? one) ?? []);
  if (known.length === 0 || known.includes(agent)) return;
  throw new AppError({
    code: "agent_unknown",
    message: `Claude Code has no agent "${agent}".`,
    hint: `It has ${known.join(", ")}.`,
  });
}

/** What a program is started with, as far as another choice needs another program. */
export function fingerprintOf([path, args, ...more]: readonly [string, readonly string[], ...unknown[]]): string {
  // Whether a session is begun or resumed is no difference.
  const meant = args.filter((arg) => arg !== "--resume" && arg !== "--session-id");
  return JSON.stringify([path, meant, ...more]);
}

export function claudeArguments(of: ArgumentsFor): string[] {
  const { lane, sessionId, isKnown, permissions, systemPrompt, mcpConfigPath } = of;
  return [
    "-p",
    ...["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
    ...["--include-partial-messages", "--replay-user-messages", "--permission-prompt-tool", "stdio"],
    ...[isKnown ? "--resume" : "--session-id", sessionId],
    ...["--disallowedTools", unwanted.join(",")],
    ...(lane.model === null ? [] : ["--model", lane.model]),
    ...(lane.agent === null ? [] : ["--agent", lane.agent]),
    ...(systemPrompt === null ? [] : ["--append-system-prompt", systemPrompt]),
    ...(mcpConfigPath === null ? [] : ["--mcp-config", mcpConfigPath]),
    ...permissionArguments(lane.directory, permissions),
  ];
}

function permissionArguments(directory: string, permissions: ClaudePermissions | null): string[] {
  if (!permissions) return [];
  const { policy, stateDirectories, otherDirectories } = permissions;
  const others = otherDirectories.filter((other) => !isInside(other, directory) && !isInside(directory, other));
  const denied = [...new Set([...stateDirectories, ...others])]
    .map(asPattern)
    .flatMap((place) => [`Read(/${place}/**)`, `Edit(/${place}/**)`]);
  // A mode in the user's or the project's own settings would let edits pass unasked.
  const mode = policy === "safe" ? { defaultMode: "default" } : {};
  return [
    ...["--settings", JSON.stringify({ permissions: { deny: denied, ...mode } })],
    ...(policy === "trusted" ? ["--permission-mode", "acceptEdits", "--allowedTools", "Bash,WebFetch,WebSearch"] : []),
  ];
}

/** Rules are patterns as in .gitignore. Brackets would stand for one letter; `*` and `?` also mean themselves. */
function asPattern(path: string): string {
  return path.replace(/[[\]]/g, "\\$&");
}

function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** What begins with a slash would be a command to the program: `/clear` even changes the session. */
export function promptText(text: string): string {
  return text.startsWith("/") ? ` ${text}` : text;
}
