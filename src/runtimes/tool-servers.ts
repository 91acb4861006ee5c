/** Finds the server of Waybill's own tools for a lane's agent, within the time that a prompt may wait for it. */
import { createHash } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Notice } from "../core/lane/lane.ts";
import type { Clock } from "../platform/clock.ts";
import { writeWholeFile } from "../platform/whole-file.ts";
import type { RuntimeContext, ToolServer } from "./descriptor.ts";

export type ToolServerSource = {
  clock: Clock;
  toolServer: RuntimeContext["toolServer"];
  onError: (error: unknown) => void;
};

/** How long a prompt waits for tools. */
const longestWaitMs = 3000;
/** How long a tool call may take. One of the tools waits up to 50 s for another agent's answer. */
export const longestCallMs = 90_000;

/** Null if agents get no tools; `unknown` if the server is not known in time. */
export async function findToolServer(
  laneId: string,
  { clock, toolServer, onError }: ToolServerSource,
): Promise<ToolServer | null | "unknown"> {
  try {
    const server = await notTooLong(clock, toolServer(laneId));
    return server === undefined ? "unknown" : server;
  } catch (error) {
    onError(error);
    return "unknown";
  }
}

/** Resolves to undefined if the promise takes longer than a prompt may wait. */
export function notTooLong<T>(clock: Clock, promise: Promise<T>): Promise<T | undefined> {
  let cancel = () => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.at(clock.now() + longestWaitMs, () => resolve(undefined));
  });
  return Promise.race([promise, late]).finally(() => cancel());
}

export const serverNotStarted = "Waybill's tool server has not started.";

export function toolsUnavailable(problem: string): Notice {
  const message = `Waybill's tools are unavailable to this lane's agent; the next message tries again. ${problem}`;
  return { code: "tools_unavailable", message };
}

/** The server's name in the file, and in the names of its tools. */
export const toolServerName = "waybill";

/**
 * The file that tells an agent process where Waybill's own tools are, in the format of MCP clients. The token must not
 * be an argument or a variable, which others can list. The agent's own tools may not read Waybill's state directory.
 */
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
