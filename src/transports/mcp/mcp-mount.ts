/**
 * The tools of agents at `/mcp`, over streamable HTTP. Each member has a token of its own, which opens this and nothing
 * else, and says who calls.
 */
import type { Context } from "hono";
import { AppError } from "../../app-error.ts";
import type { AgentService } from "../../service/agent-service.ts";
import { headersOf, statusOf, toAppError } from "../http/errors.ts";
import type { GivenToken, Mount } from "../http/mount.ts";
import { mcpPath } from "./mcp-path.ts";

export function mcpMount(agents: AgentService): Mount {
  return {
    basePath: mcpPath,
    answerError: answerMcpError,
    notFoundHint: `Tools are called with POST ${mcpPath}.`,
    basic: null,
    callerOf: (given) => callerOf(agents, given),
    crossOrigin: false,
    load: async () => {
      const { makeMcpApp } = await import("./mcp-app.ts");
      return (deps) => makeMcpApp(agents, deps);
    },
  };
}

async function callerOf(agents: AgentService, { token, isApiToken }: GivenToken) {
  if (isApiToken) throw unauthorized("This is the API's token, which is not good for tools.");
  if (token === null) throw unauthorized("Tools need the token of a member.");
  const caller = await agents.callerOf(token);
  if (caller === null) throw unauthorized("No member has this token, or its member was removed.");
  return caller;
}

function unauthorized(message: string): AppError {
  return new AppError({
    code: "unauthorized",
    message,
    hint: "Send `Authorization: Bearer TOKEN` with the token that Waybill made for this member.",
  });
}

/** JSON-RPC's code for errors of a server's own. */
const serverError = -32_000;

/** As JSON-RPC, so that clients show its words. What a tool refuses is a result of that tool, and not answered here. */
function answerMcpError(c: Context, thrown: unknown, report: (error: unknown) => void): Response {
  const error = toAppError(thrown);
  const status = statusOf(error);
  if (status >= 500) report(thrown);
  const message = [error.message, error.hint].filter(Boolean).join(" ");
  const body = { jsonrpc: "2.0", id: null, error: { code: serverError, message, data: { code: error.code } } };
  return c.json(body, status, headersOf(status));
}
