/** The official client, in both protocol revisions that the server speaks. */
import type { CallToolResult, ClientOptions, Transport } from "@modelcontextprotocol/client";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";

export const revisions = ["2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof revisions)[number];

export type Called = { isError: boolean; text: string; data: unknown };

export type McpClient = {
  client: Client;
  call(name: string, args?: Record<string, unknown>, options?: Parameters<Client["callTool"]>[1]): Promise<Called>;
};

export async function connected(transport: Transport, revision: Revision): Promise<McpClient> {
  const mode = revision === "2025-11-25" ? "legacy" : { pin: revision };
  const options: ClientOptions = { versionNegotiation: { mode } };
  const client = new Client({ name: "test", version: "0.0.0" }, options);
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    async call(name, args = {}, callOptions) {
      const result = (await client.callTool({ name, arguments: args }, callOptions)) as CallToolResult;
      const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
      return { isError: result.isError === true, text, data: result.structuredContent };
    },
  };
}

export function httpTransport(url: string, headers: Record<string, string>): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
}
