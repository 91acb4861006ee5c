/** A small MCP server on loopback with Waybill's tools, which records who called what. Stateless, like the daemon's own. */
import { once } from "node:events";
import type { Server } from "node:http";
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { ToolServer } from "../../../src/runtimes/descriptor.ts";
import { ownTools } from "../../../src/runtimes/descriptor.ts";
import { freePort } from "../daemon/free-port.ts";

/** `lane`: the lane of the call's token; null for an unknown token. */
export type RecordedCall = { lane: string | null; tool: string; text: string };

export class McpToolsServer {
  readonly calls: RecordedCall[] = [];
  /** The JSON-RPC methods of all requests, with the lane and the time. */
  readonly requests: { lane: string | null; method: string; at: number }[] = [];
  /** The error for calls; null if they are accepted. */
  refusal: string | null = null;
  /** Requests are accepted but get no answer. */
  hangs = false;
  readonly #tokens = new Map<string, string>();
  readonly #handler = createMcpHandler(({ requestInfo }) => this.#serverFor(this.#laneOf(requestInfo)));
  #server: Server | null = null;
  #port = 0;

  async open(): Promise<this> {
    const listener = getRequestListener((request) => this.#answer(request));
    this.#server = createServer(listener);
    // Reserved: another process could take it while this is closed.
    this.#port ||= await freePort();
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  /** What the daemon would give to a runtime. A lane's token stays the same until `renew`. */
  readonly toolServer = async (laneId: string): Promise<ToolServer> => {
    const token = [...this.#tokens].find(([, lane]) => lane === laneId)?.[0] ?? this.renew(laneId);
    return { url: this.url, token };
  };

  /** Replaces the lane's token; the old one is refused. */
  renew(laneId: string): string {
    for (const [token, lane] of this.#tokens) if (lane === laneId) this.#tokens.delete(token);
    const token = `token-${laneId}-${Math.random().toString(36).slice(2)}`;
    this.#tokens.set(token, laneId);
    return token;
  }

  tokens(): string[] {
    return [...this.#tokens.keys()];
  }

  /** Can be reopened at the same address. */
  async close(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  async #answer(request: Request): Promise<Response> {
    const lane = this.#laneOf(request);
    const body: unknown = request.method === "POST" ? await request.clone().json() : null;
    const { method } = (body ?? {}) as { method?: string };
    this.requests.push({ lane, method: method ?? request.method, at: Date.now() });
    if (this.hangs) return new Promise(() => {});
    return lane === null ? new Response(null, { status: 401 }) : this.#handler.fetch(request);
  }

  #laneOf(request: Request | undefined): string | null {
    const [, token = ""] = /^Bearer (.+)$/.exec(request?.headers.get("authorization") ?? "") ?? [];
    return this.#tokens.get(token) ?? null;
  }

  #serverFor(lane: string | null): McpServer {
    const server = new McpServer({ name: "waybill", version: "0" }, { instructions: `You are ${lane}.` });
    const inputSchema = z.object({ text: z.string().describe("What to say.") });
    for (const tool of ownTools) {
      server.registerTool(tool, { description: `The tool ${tool}.`, inputSchema }, async ({ text }) => {
        if (this.refusal !== null) return { isError: true, content: [{ type: "text" as const, text: this.refusal }] };
        this.calls.push({ lane, tool, text });
        return { content: [{ type: "text" as const, text: `${tool} of ${lane} took "${text}"` }] };
      });
    }
    return server;
  }
}
