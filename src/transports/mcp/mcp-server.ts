/**
 * A server for one request over HTTP, or for one connection over stdio. It lists the tools and forwards calls. It uses
 * the SDK's low-level server, because the high-level one validates arguments itself, with errors that do not help a
 * model.
 */
import type { CallToolResult, Tool as ListedTool, RequestId } from "@modelcontextprotocol/server";
import { Server } from "@modelcontextprotocol/server";
import { z } from "zod";
import { tools } from "./tools/registry.ts";

export type IncomingCall = {
  id: RequestId;
  name: string;
  args: Record<string, unknown>;
  /** Aborted when the client cancels the call or disconnects. */
  signal: AbortSignal;
};

const instructions = `Waybill delivers messages between agents and people, and makes sure that they are answered. \
Call member_briefing to learn who you are, who else is there and what waits for you. \
Answer a message with message_send, its id as relayOfMessageId, and an outcome.`;

export function makeMcpServer(version: string, call: (call: IncomingCall) => Promise<CallToolResult>): Server {
  const info = { name: "waybill", title: "Waybill", version };
  const server = new Server(info, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler("tools/list", () => ({ tools: listedTools() }));
  server.setRequestHandler("tools/call", ({ params: { name, arguments: args = {} } }, { mcpReq }) =>
    call({ id: mcpReq.id, name, args, signal: mcpReq.signal }),
  );
  return server;
}

let listed: ListedTool[] | null = null;

/** The tools as clients list them, with JSON schemas that are generated once. */
export function listedTools(): ListedTool[] {
  listed ??= tools.map(({ name, title, description, annotations, input, output }) => ({
    name,
    title,
    description,
    annotations,
    inputSchema: jsonSchema(input, "input"),
    outputSchema: jsonSchema(output, "output"),
  }));
  return listed;
}

function jsonSchema(schema: z.ZodObject, io: "input" | "output") {
  return z.toJSONSchema(schema, { io }) as ListedTool["inputSchema"];
}
