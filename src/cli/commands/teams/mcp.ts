/** `waybill mcp`: the tools of a member over stdio, for an agent that somebody else runs. */
import { version } from "../../../daemon/version.ts";
import type { Command } from "../../command.ts";
import { textOption } from "../../command.ts";
import { findDaemonUrl, waitForStart } from "../../connect.ts";
import { usageError } from "../../errors.ts";
import { exitCodes } from "../../exit-codes.ts";
import { memberToken } from "../../mcp/member-token.ts";

const help = `Usage: waybill mcp [--token-file PATH]

Serves Waybill's tools to an agent that somebody else runs, over the Model Context Protocol on standard input and
output: enter it as a command in the agent's list of MCP servers. The token says which member the agent is. A restart of
the daemon is waited for. Clients that speak HTTP can use /mcp of the daemon instead.

Options:
  --token-file PATH    the file with the member's token

Environment:
  WAYBILL_MCP_TOKEN_FILE    the same
  WAYBILL_MCP_TOKEN         the token itself, where there is no file; other programs of the user may see it

Exit codes: 0 the client closed the connection, 5 no daemon runs, 2 not understood, 1 any other error.

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
    if (context.json) throw usageError("a client speaks JSON with it already; there is no --json", "mcp");
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
