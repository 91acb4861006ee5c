/**
 * The HTTP server. Cuts off requests that are slow, too large or not HTTP, with an error response where possible. On
 * close it takes no new connections, ends the streams, and gives running requests a moment to finish.
 */
import { setMaxListeners } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { AppError } from "../../platform/app-error.ts";
import type { ConnectionInfo } from "./env.ts";
import { errorBody, statusOf, toAppError } from "./errors.ts";

export type ListenOptions = {
  app: { fetch(request: Request, connection: ConnectionInfo): Response | Promise<Response> };
  host?: string;
  /** 0 picks a free port. */
  port: number;
  /** The setting that names the port, for error hints. */
  portSetting?: string;
  /** Serves this path at the root: it is prepended to the path of every request. */
  basePath?: string;
  headersMs?: number;
  /** How long a whole request may take to arrive; the app's limit for bodies is shorter and has a better error. */
  requestMs?: number;
  keepAliveMs?: number;
  /** How long running requests may continue when the server closes. */
  closeMs?: number;
  onError?: (error: unknown) => void;
};

export type Listening = { url: string; port: number; close(): Promise<void> };

export async function listen(options: ListenOptions): Promise<Listening> {
  const { host = "127.0.0.1", closeMs = 2000 } = options;
  const closing = new AbortController();
  // Every open stream listens to it.
  setMaxListeners(0, closing.signal);
  const server = createHttpServer(options, closing.signal);
  await bound(server, { host, port: options.port, setting: options.portSetting });
  const { port } = server.address() as AddressInfo;
  let closed: Promise<void> | undefined;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    close() {
      closed ??= closeServer(server, closing, closeMs);
      return closed;
    },
  };
}

function createHttpServer(options: ListenOptions, closing: AbortSignal): Server {
  const { app, basePath, headersMs = 10_000, requestMs = 30_000, keepAliveMs = 5000, onError = () => {} } = options;
  const settings = {
    ...withoutOwnCheck,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: 16 * 1024,
    // We reject such requests ourselves, with our own error.
    requireHostHeader: false,
  };
  const listener = getRequestListener(
    (request, env) => app.fetch(request, connection(server, closing, env.outgoing as ServerResponse)),
    // Keep the Request and Response of Node.js as globals: other code in this process uses them.
    { overrideGlobalObjects: false, errorHandler: (error) => answerUnreadable(error, onError) },
  );
  const server = createServer(settings, (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (!addressFits(incoming)) return answerMisfit(outgoing);
    if (basePath !== undefined) incoming.url = pathBelow(basePath, incoming.url ?? "");
    listener(incoming, outgoing).catch(onError);
  });
  server.on("clientError", answerClientError);
  const onSlow = (socket: Socket) => answerClientError(slowRequest, socket);
  watchConnections(server, { limits: { headersMs, requestMs }, closing, onSlow });
  return server;
}

function connection(server: Server, closing: AbortSignal, outgoing: ServerResponse): ConnectionInfo {
  return {
    port: (server.address() as AddressInfo | null)?.port ?? 0,
    closing,
    afterAnswer: (run) => outgoing.once("close", run),
    cutOff: () => outgoing.destroy(),
  };
}

type ArrivalLimits = {
  headersMs: number;
  /** For a whole request, including its headers. */
  requestMs: number;
};

/**
 * Disables Node.js's own check for slow requests, which would wake an idle process every few seconds: with this
 * interval it runs after 24 days, and has no timeouts to enforce.
 */
const withoutOwnCheck = { headersTimeout: 0, requestTimeout: 0, connectionsCheckingInterval: 2 ** 31 - 1 };

type Connection = {
  /** The newest unanswered request. */
  request: IncomingMessage | null;
  /** When the current request started to arrive; null while there is none. */
  arrivingSince: number | null;
  /** Bytes received when the last request was answered; more bytes mean that another request has started. */
  bytesBefore: number;
};

const checkMs = 5000;

/**
 * Cuts off requests that arrive too slowly, with a check that runs only while connections are open. Closes idle
 * connections when the server closes.
 */
function watchConnections(
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
      // Another request may have followed on the same connection.
      if (connection.request !== request) return;
      Object.assign(connection, { request: null, arrivingSince: null, bytesBefore: socket.bytesRead });
      if (closing.aborted) socket.destroySoon();
    });
  });
  // A connection ends after its pending response, or immediately if there is none. Node.js itself would leave open
  // connections without any request yet, and half-closed ones.
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

function bound(server: Server, address: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(listenError(error, address));
    server.once("error", fail);
    server.listen({ host: address.host, port: address.port }, () => {
      server.off("error", fail);
      resolve();
    });
  });
}

async function closeServer(server: Server, closing: AbortController, closeMs: number): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  closing.abort();
  const force = setTimeout(() => server.closeAllConnections(), closeMs);
  await ended;
  clearTimeout(force);
}

/** For requests whose host or path is not a valid URL. They never reach the app. */
function answerUnreadable(error: unknown, onError: (error: unknown) => void): Response {
  const unreadable = error instanceof Error && error.name === "RequestError";
  if (!unreadable) onError(error);
  const answer = unreadable ? malformed() : toAppError(error);
  return Response.json(errorBody(answer), { status: statusOf(answer), headers: { "Cache-Control": "no-store" } });
}

/** An absolute URL in the request line overrides the `Host` header that is checked later, so both must match. */
function addressFits({ url = "", headers }: IncomingMessage): boolean {
  return url.startsWith("/") || (URL.canParse(url) && new URL(url).host === headers.host?.toLowerCase());
}

/** Dot segments are resolved first: they must not escape the base path. */
function pathBelow(basePath: string, url: string): string {
  const { pathname, search } = new URL(url.startsWith("/") ? `http://localhost${url}` : url);
  return `${basePath}${pathname}${search}`;
}

function answerMisfit(outgoing: ServerResponse): void {
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store", Connection: "close" };
  outgoing.writeHead(statusOf(malformed()), headers).end(JSON.stringify(errorBody(malformed())));
}

/** There is no request object yet, only a socket. Writes nothing if an earlier response has already started. */
function answerClientError(error: { code?: string }, socket: Duplex & { _httpMessage?: ServerResponse }): void {
  const answer = clientError(error.code);
  if (!socket.writable || socket._httpMessage?.headersSent || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const status = statusOf(answer);
  const body = JSON.stringify(errorBody(answer));
  socket.end(
    `HTTP/1.1 ${status} ${answer.code}\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const slowRequest = { code: "SLOW_REQUEST" };

function clientError(code: string | undefined): AppError {
  if (code === slowRequest.code) {
    return new AppError({
      code: "request_timeout",
      message: "The request arrived too slowly.",
      hint: "Send it again.",
    });
  }
  if (code === "HPE_HEADER_OVERFLOW") {
    return new AppError({ code: "headers_too_large", message: "The headers are too large." });
  }
  return malformed();
}

function malformed(): AppError {
  return new AppError({ code: "malformed_request", message: "The request is not valid HTTP." });
}

type ListenAddress = { host: string; port: number; setting?: string | undefined };

export function listenError(error: NodeJS.ErrnoException, address: ListenAddress): AppError {
  const { host, port, setting = "PORT or in the configuration" } = address;
  if (error.code === "EADDRINUSE") {
    return new AppError({
      code: "port_in_use",
      message: `Port ${port} on ${host} is in use by another program.`,
      hint: `Stop that program, or choose another port with ${setting}.`,
      cause: error,
    });
  }
  if (error.code === "EACCES") {
    return new AppError({
      code: "port_not_allowed",
      message: `This user may not open port ${port} on ${host}.`,
      hint: `Choose a port above 1023 with ${setting}.`,
      cause: error,
    });
  }
  return new AppError({
    code: "cannot_listen",
    message: `Cannot listen on ${host}, port ${port}: ${error.message}.`,
    hint: "Check the address and the port in the configuration.",
    cause: error,
  });
}
