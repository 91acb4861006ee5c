/** `waybill mcp`: serves a member's tools over stdio, to an agent that Waybill does not run. */

import { readFileSync } from "node:fs";
import { version } from "../../../daemon/version.ts";
import { AppError } from "../../../platform/app-error.ts";
import { expandPath } from "../../../platform/home.ts";
import type { Command } from "../../command.ts";
import { textOption } from "../../command.ts";
import { findDaemonUrl, waitForStart } from "../../connect.ts";
import { exitCodes, usageError } from "../../errors.ts";

const help = `Usage: waybill mcp [--token-file PATH]

Serves Waybill's tools to an agent that Waybill does not run, over the Model Context Protocol on standard input and
output. Add it as a command to the agent's list of MCP servers. The token says which member the agent is. While the
daemon restarts, calls wait for it. Clients that speak HTTP can use the daemon's /mcp instead.

Options:
  --token-file PATH    the file with the member's token

Environment:
  WAYBILL_MCP_TOKEN_FILE    the same
  WAYBILL_MCP_TOKEN         the token itself, if there is no file; your other programs may be able to see it

Exit codes: 0 the client closed the connection, 5 no daemon is running, 2 invalid command line, 1 any other error.

Examples:
  waybill mcp --token-file ~/.config/waybill/tom.token
  claude mcp add waybill -- waybill mcp --token-file ~/.config/waybill/tom.token`;

export const mcp: Command = {
  name: "mcp",
  summary: "serve Waybill's tools to an agent over stdio",
  help,
  options: { "token-file": textOption("PATH", "the file with the member's token") },
  async run(input, context) {
    const { env, interrupted, printNote } = context;
    if (context.json) throw usageError("mcp has no --json: its output is JSON already", "mcp");
    const token = memberToken(input.value("token-file"), env);
    await waitForStart(context);
    const url = findDaemonUrl(env);
    const daemon = { url: typeof url === "string" ? () => url : url, token, version: version() };
    const { checkToken, serveTools } = await import("../../mcp/forward-calls.ts");
    try {
      await checkToken(daemon, interrupted);
      await serveTools(daemon, { interrupted, printNote });
    } catch (error) {
      if (!interrupted.aborted) throw error;
    }
    return interrupted.aborted ? exitCodes.interrupted : exitCodes.ok;
  },
};

/** The member's token: from a file, which no process list or log shows, or from the environment. */
export function memberToken(file: string | undefined, env: NodeJS.ProcessEnv): string {
  const path = file ?? (env.WAYBILL_MCP_TOKEN_FILE || undefined);
  const token = path === undefined ? env.WAYBILL_MCP_TOKEN?.trim() : readToken(expandPath(path, process.cwd(), env));
  if (token) return token;
  throw new AppError({
    code: "no_token",
    message: path === undefined ? "No member token was given." : `There is no token in ${path}.`,
    hint: "Give the path of the token file with --token-file PATH or WAYBILL_MCP_TOKEN_FILE.",
  });
}

function readToken(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    throw new AppError({
      code: "no_token",
      message: `The token file ${path} cannot be read (${(cause as NodeJS.ErrnoException).code}).`,
      hint: "Check the path, and that this user may read it.",
      cause,
    });
  }
}
