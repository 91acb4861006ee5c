/** `waybill mcp`: serves a member's tools over stdio, to an agent that Waybill does not run. */
import { version } from "../../../daemon/version.ts";
import type { Command } from "../../command.ts";
import { textOption } from "../../command.ts";
import { findDaemonUrl, waitForStart } from "../../connect.ts";
import { usageError } from "../../errors.ts";
import { exitCodes } from "../../exit-codes.ts";
import { memberToken } from "../../mcp/member-token.ts";

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
    const { checkToken, serveTools } = await import("../../mcp/serve-tools.ts");
    try {
      await checkToken(daemon, interrupted);
      await serveTools(daemon, { interrupted, printNote });
    } catch (error) {
      if (!interrupted.aborted) throw error;
    }
    return interrupted.aborted ? exitCodes.interrupted : exitCodes.ok;
  },
};
