/** A server on loopback with scripted answers, for what a real daemon does only when something breaks. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Asked = { method: string; path: string; headers: IncomingMessage["headers"]; body: string };
export type Answerer = (asked: Asked, response: ServerResponse) => void;

export type ScriptedServer = { url: string; asked: Asked[]; close(): Promise<void> };

/** Answers are given in order; the last one repeats forever. */
export async function scriptedServer(...answers: Answerer[]): Promise<ScriptedServer> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    asked.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body });
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    answer?.(asked.at(-1) as Asked, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(status: number, body: unknown): Answerer {
  return (_asked, response) => {
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  };
}

/** The daemon dies mid-request. */
export const cutOff: Answerer = (_asked, response) => void response.socket?.destroy();

/** Frames of a stream that then breaks or stays open. */
export function frames(then: "breaks" | "stays", ...parts: string[]): Answerer {
  return (_asked, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(parts.join(""), () => {
      if (then === "breaks") response.socket?.destroy();
    });
  };
}

export function frame(id: string, event: string, data: unknown = {}): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify({ type: event, ...(data as object) })}\n\n`;
}
