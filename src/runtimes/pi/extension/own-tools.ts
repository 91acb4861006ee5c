/**
 * Waybill's own tools inside pi, which does not support MCP: lists the tools of Waybill's MCP server and forwards calls
 * to it. The server is stateless, so each request is one POST. Its address and token come from a file, since others
 * could see arguments and environment variables.
 */
import { readFileSync } from "node:fs";
import type { PiApi, PiTool } from "./pi-api.ts";

type Server = { url: string; headers: Readonly<Record<string, string>> };
type McpTool = { name: string; description?: string; inputSchema: Readonly<Record<string, unknown>> };
type McpContent = { type: string; text?: string };

const prefix = "waybill_";
/** How long a turn waits for the list of tools. */
const listMs = 3000;

export class OwnTools {
  readonly #pi: PiApi;
  readonly #path: string | null;
  readonly #names = new Set<string>();
  #listing: Promise<boolean> | null = null;

  constructor(pi: PiApi, path: string | null) {
    this.#pi = pi;
    this.#path = path;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** True if the tools are registered, or there are none. After a failure the next call tries again. */
  register(): Promise<boolean> {
    if (this.#path === null) return Promise.resolve(true);
    this.#listing ??= this.#list(this.#path).catch(() => {
      this.#listing = null;
      return false;
    });
    return this.#listing;
  }

  async #list(path: string): Promise<boolean> {
    const { mcpServers } = JSON.parse(readFileSync(path, "utf8")) as { mcpServers: Record<string, Server> };
    for (const server of Object.values(mcpServers)) {
      const { tools } = (await request(server, "tools/list", {}, AbortSignal.timeout(listMs))) as { tools: McpTool[] };
      for (const tool of tools) {
        this.#names.add(prefix + tool.name);
        this.#pi.registerTool(forwarded(server, tool));
      }
    }
    return true;
  }
}

function forwarded(server: Server, { name, description = "", inputSchema }: McpTool): PiTool {
  // pi's validator may not know the schema dialect.
  const { $schema: _dialect, ...parameters } = inputSchema;
  return {
    name: prefix + name,
    label: name,
    description,
    parameters,
    async execute(_call, params, signal) {
      const result = await request(server, "tools/call", { name, arguments: params }, signal);
      const { content, isError } = result as { content: readonly McpContent[]; isError?: boolean };
      const text = content.map((one) => one.text ?? JSON.stringify(one)).join("\n");
      if (isError) throw new Error(text);
      return { content: [{ type: "text", text }], details: {} };
    },
  };
}

let lastId = 0;

async function request(server: Server, method: string, params: object, signal: AbortSignal | undefined) {
  const id = ++lastId;
  const headers = {
    ...server.headers,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const answer = await fetch(server.url, { method: "POST", headers, body, ...(signal ? { signal } : {}) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`Waybill returned status ${answer.status}: ${text.slice(0, 500)}`);
  const { result, error } = responseIn(text, answer.headers.get("content-type") ?? "", id);
  if (error) throw new Error(error.message);
  return result;
}

type Response = { id?: unknown; result?: unknown; error?: { message: string } };

/** A stream may contain notifications before the response. */
export function responseIn(text: string, contentType: string, id: number): Response {
  if (!contentType.startsWith("text/event-stream")) return JSON.parse(text) as Response;
  for (const event of text.split(/\r?\n\r?\n/)) {
    const lines = event.split(/\r?\n/).filter((line) => line.startsWith("data:"));
    const data = lines.map((line) => line.slice("data:".length).replace(/^ /, "")).join("\n");
    const message = data === "" ? null : (JSON.parse(data) as Response);
    if (message?.id === id) return message;
  }
  throw new Error("Waybill's response ended before the result.");
}
