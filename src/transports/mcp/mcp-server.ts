/**
 * A server for one request over HTTP, or for one connection over stdio. It lists the tools and forwards calls. It uses
 * the SDK's low-level server, because the high-level one validates arguments itself, with errors that do not help a
 * model.
 */
import type { CallToolResult, RequestId } from "@modelcontextprotocol/server";
import { Server } from "@modelcontextprotocol/server";
import { listedTools } from "./listed-tools.ts";

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
