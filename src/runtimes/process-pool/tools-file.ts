/**
 * The file that tells an agent process where Waybill's own tools are, in the format of MCP clients. The token must not
 * be an argument or a variable, which others can list. The agent's own tools may not read Waybill's state directory.
 */
import { createHash } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeWholeFile } from "../../platform/whole-file.ts";
import type { ToolServer } from "../descriptor.ts";
import { longestCallMs } from "../tool-servers.ts";

/** The server's name in the file, and in the names of its tools. */
export const toolServerName = "waybill";

export type ToolsFile = { path: string; content: string };

/** The directory with the tools files of a runtime. */
export function toolsFilesIn(directory: string): string {
  return join(directory, "tools");
}

export function toolsFile(directory: string, laneId: string, { url, token }: ToolServer): ToolsFile {
  const headers = { Authorization: `Bearer ${token}` };
  // The last two are for Claude Code: always offer the tools, and allow for the one that waits for another agent.
  const server = { type: "http", url, headers, alwaysLoad: true, timeout: longestCallMs };
  const content = JSON.stringify({ mcpServers: { [toolServerName]: server } });
  return { path: toolsPath(directory, laneId), content };
}

function toolsPath(directory: string, laneId: string): string {
  return join(toolsFilesIn(directory), `${laneId}.json`);
}

export function writeToolsFile({ path, content }: ToolsFile): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeWholeFile(path, `${content}\n`);
}

export function removeToolsFile(directory: string, laneId: string): void {
  rmSync(toolsPath(directory, laneId), { force: true });
}

/** Changes with the content, but does not reveal it. */
export function toolsFileHash({ content }: ToolsFile): string {
  return createHash("sha256").update(content).digest("hex");
}
