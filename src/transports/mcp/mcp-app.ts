/**
 * The route of `/mcp`. It keeps no sessions, so that clients can continue after a restart of the daemon: each request
 * gets its own server, in the client's protocol revision. A response is one JSON body, never a stream: when a stream
 * breaks because the daemon died, clients do not tell their agent, which would wait for minutes.
 */
import type { RequestId, Server } from "@modelcontextprotocol/server";
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { Hono } from "hono";
import type { AgentService, Caller } from "../../service/agent-service.ts";
import type { Env } from "../http/env.ts";
import { abortedBy } from "../http/event-stream.ts";
import type { RouteDeps } from "../http/routes/route-deps.ts";
import { callTool } from "./call-tool.ts";
import { mcpPath } from "./mcp-path.ts";
import { makeMcpServer } from "./mcp-server.ts";

export function makeMcpApp(agents: AgentService, deps: RouteDeps): Hono<Env> {
  const { service, clock, about, heartbeatMs, report } = deps;
  const running = makeRunningCalls();
  const app = new Hono<Env>();
  app.post("/", (c) => {
    const { caller, closing } = c.env;
    if (!caller) throw new Error("A request passed the gate without a caller.");
    const { signal: gone } = c.req.raw;
    const server = makeMcpServer(about.version, async ({ id, name, args, signal }) => {
      const call = abortedBy(signal, gone, closing);
      const ended = running.add(caller, id, call);
      try {
        return await callTool(name, args, {
          ...{ agents, caller, clock, signal: call.signal },
          settled: () => service.settled(),
          report: (error) => report(error, mcpPath),
        });
      } finally {
        ended();
        // Removes its listeners from signals that live longer.
        call.abort();
      }
    });
    server.setNotificationHandler("notifications/cancelled", ({ params: { requestId } }) => {
      if (requestId !== undefined) running.cancel(caller, requestId);
    });
    return answer(server, c.req.raw, heartbeatMs);
  });
  return app;
}

async function answer(server: Server, request: Request, keepAliveMs: number): Promise<Response> {
  if (!(await isLegacyRequest(request))) {
    // Responds with one body, because nothing is ever sent before the result.
    const handler = createMcpHandler(() => server, { legacy: "reject", keepAliveMs });
    return handler.fetch(request);
  }
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  return transport.handleRequest(request);
}

/**
 * Running calls, by caller and request. Clients of the older revision leave the request open and cancel it with another
 * request, which a server without sessions must match with the first.
 *
 * Two clients of one caller may use the same ids. A cancelled call returns what it knows so far, so cancelling the
 * wrong one does no harm.
 */
type RunningCalls = {
  /** The returned function removes it. */
  add(caller: Caller, id: RequestId, call: AbortController): () => void;
  cancel(caller: Caller, id: RequestId): void;
};

function makeRunningCalls(): RunningCalls {
  const running = new Map<string, Set<AbortController>>();
  return {
    add(caller, id, call) {
      const key = keyOf(caller, id);
      const calls = running.get(key) ?? new Set();
      running.set(key, calls.add(call));
      return () => {
        calls.delete(call);
        if (calls.size === 0 && running.get(key) === calls) running.delete(key);
      };
    },
    cancel(caller, id) {
      for (const call of running.get(keyOf(caller, id)) ?? []) call.abort();
    },
  };
}

function keyOf(caller: Caller, id: RequestId): string {
  return JSON.stringify([caller.kind === "lane" ? [caller.lane] : [caller.team, caller.member], id]);
}
