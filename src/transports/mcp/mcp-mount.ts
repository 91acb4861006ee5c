/**
 * The agents' tools at `/mcp`, over streamable HTTP. Each member has its own token, which is valid only here and
 * identifies the caller.
 */
import type { Context } from "hono";
import { AppError } from "../../platform/app-error.ts";
import type { AgentService } from "../../service/agent-service.ts";
import { headersOf, statusOf, toAppError } from "../http/errors.ts";
import type { GivenToken, Mount } from "../http/mount.ts";
import { mcpPath } from "./mcp-path.ts";

export function mcpMount(agents: AgentService): Mount {
  return {
    basePath: mcpPath,
    answerError: answerMcpError,
    notFoundHint: `Call tools with POST ${mcpPath}.`,
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
  if (isApiToken) throw unauthorized("This is the API's token, which is not valid for tools.");
  if (token === null) throw unauthorized("Tools require a member's token.");
  const caller = await agents.callerOf(token);
  if (caller === null) throw unauthorized("No member has this token, or its member was removed.");
  return caller;
}

function unauthorized(message: string): AppError {
  return new AppError({
    code: "unauthorized",
    message,
    hint: "Send `Authorization: Bearer TOKEN` with the token that Waybill created for this member.",
  });
}

/** JSON-RPC's code for server-defined errors. */
const serverError = -32_000;

/** A JSON-RPC error, so that clients show its message. A tool's refusal is a result of that tool, not an error. */
function answerMcpError(c: Context, thrown: unknown, report: (error: unknown) => void): Response {
  const error = toAppError(thrown);
  const status = statusOf(error);
  if (status >= 500) report(thrown);
  const message = [error.message, error.hint].filter(Boolean).join(" ");
  const body = { jsonrpc: "2.0", id: null, error: { code: serverError, message, data: { code: error.code } } };
  return c.json(body, status, headersOf(status));
}
