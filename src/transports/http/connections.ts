/**
 * The open connections of a server: cuts off a request that arrives too slowly, and ends the idle ones when the server
 * closes. Node.js has a check for slow requests, too, which wakes the process every few seconds for good; this one runs
 * while connections are open.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";

export type ArrivalLimits = {
  headersMs: number;
  /** For a whole request, its headers included. */
  requestMs: number;
};

/** Turns off the check of Node.js: at this interval it comes after 24 days, and has nothing to look for. */
export const withoutOwnCheck = { headersTimeout: 0, requestTimeout: 0, connectionsCheckingInterval: 2 ** 31 - 1 };

type Connection = {
  /** The newest request that is not answered yet. */
  request: IncomingMessage | null;
  /** Since when a request has been arriving; null while none is known of. */
  arrivingSince: number | null;
  /** How much had been received when the last request was answered: more is the beginning of another one. */
  bytesBefore: number;
};

const checkMs = 5000;

export function watchConnections(
  server: Server,
  { limits, closing, onSlow }: { limits: ArrivalLimits; closing: AbortSignal; onSlow: (socket: Socket) => void },
): void {
  const connections = new Map<Socket, Connection>();
  let check: NodeJS.Timeout | undefined;

  server.on("connection", (socket) => {
    connections.set(socket, { request: null, arrivingSince: performance.now(), bytesBefore: 0 });
    check ??= setInterval(cutOffSlow, Math.min(checkMs, limits.headersMs)).unref();
    socket.once("close", () => {
      connections.delete(socket);
      if (connections.size > 0) return;
      clearInterval(check);
      check = undefined;
    });
  });
  server.on("request", (request, outgoing) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (!connection) return;
    connection.request = request;
    connection.arrivingSince ??= performance.now();
    outgoing.once("close", () => {
      // Another request may have come behind it on the same connection.
      if (connection.request !== request) return;
      Object.assign(connection, { request: null, arrivingSince: null, bytesBefore: socket.bytesRead });
      if (closing.aborted) socket.destroySoon();
    });
  });
  // A connection ends with the response that is on its way, or at once. Node.js itself leaves those open on which no
  // request has come yet, and those whose client is only half gone.
  closing.addEventListener("abort", () => {
    for (const [socket, { request }] of connections) if (request === null) socket.destroy();
  });

  function cutOffSlow(): void {
    const now = performance.now();
    for (const [socket, connection] of connections) if (isSlow(socket, connection, limits, now)) onSlow(socket);
  }
}

function isSlow(socket: Socket, connection: Connection, { headersMs, requestMs }: ArrivalLimits, now: number): boolean {
  const { request, arrivingSince, bytesBefore } = connection;
  if (request?.complete) return false;
  if (arrivingSince !== null) return now - arrivingSince > (request ? requestMs : headersMs);
  if (socket.bytesRead > bytesBefore) connection.arrivingSince = now;
  return false;
}
