/**
 * A request to the daemon's `/mcp`, in the protocol revision with stateless requests. Errors differ by whether the daemon may
 * have executed the request.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server";
import { jsonOrNull } from "../../client/api-fetch.ts";
import { WaybillError } from "../../client/index.ts";
import { messageOf } from "../../platform/app-error.ts";
import { abortedAfter } from "../../platform/clock.ts";
import type { HttpResponse } from "../../platform/http-fetch.ts";
import { httpFetch } from "../../platform/http-fetch.ts";
import { mcpPath } from "../../transports/mcp/mcp-path.ts";

export type Daemon = {
  /** Throws while no daemon listens. */
  url: () => string;
  /** The member's token. */
  token: string;
  /** The version of this program. */
  version: string;
};

/** The daemon cannot be reached, or the connection broke. */
export class DaemonGone extends Error {
  override readonly name = "DaemonGone";
  readonly mayBeDone: boolean;
  constructor(message: string, { mayBeDone, cause }: { mayBeDone: boolean; cause?: unknown }) {
    super(message, { cause });
    this.mayBeDone = mayBeDone;
  }
}

/** The daemon refused the request; its message says why. */
export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

const revision = "2026-07-28";
/** In addition to the time that the request itself may take. */
const answerMs = 30_000;

type Params = { name?: string; arguments?: Record<string, unknown> };
export type DaemonRequest = { method: string; params: Params; signal: AbortSignal; takesMs?: number };

/** Returns the result as the daemon sent it. */
export async function requestDaemon(daemon: Daemon, request: DaemonRequest): Promise<Record<string, unknown>> {
  const signal = abortedAfter(answerMs + (request.takesMs ?? 0), request.signal);
  const { status, text } = await exchange(daemon, request, signal);
  const { result, error } = Object(jsonOrNull(text));
  if (status === 503) throw new DaemonGone(wordsOf(error) ?? "The daemon is not ready.", { mayBeDone: false });
  if (error !== undefined || status !== 200 || Object(result) !== result) {
    throw new RequestRefused(wordsOf(error) ?? `The daemon returned HTTP status ${status}.`, status);
  }
  return result;
}

async function exchange(daemon: Daemon, request: DaemonRequest, signal: AbortSignal) {
  const { url, ...init } = httpRequest(daemon, request);
  let response: HttpResponse;
  try {
    response = await httpFetch(url, { ...init, signal });
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    request.signal.throwIfAborted();
    const mayBeDone = (cause as NodeJS.ErrnoException).code !== "ECONNREFUSED";
    throw new DaemonGone(`The daemon cannot be reached: ${messageOf(cause)}`, { mayBeDone, cause });
  }
}

function httpRequest(daemon: Daemon, { method, params }: DaemonRequest) {
  const _meta = {
    [PROTOCOL_VERSION_META_KEY]: revision,
    [CLIENT_INFO_META_KEY]: { name: "waybill-mcp", version: daemon.version },
    [CLIENT_CAPABILITIES_META_KEY]: {},
  };
  const headers = {
    authorization: `Bearer ${daemon.token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": revision,
    "mcp-method": method,
    ...(params.name === undefined ? {} : { "mcp-name": params.name }),
    // A reused connection may break at any time, and then it is unknown whether the request was executed.
    connection: "close",
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } });
  return { url: `${addressOf(daemon).replace(/\/+$/, "")}${mcpPath}`, method: "POST", headers, body };
}

function addressOf({ url }: Daemon): string {
  try {
    return url();
  } catch (cause) {
    if (!(cause instanceof WaybillError)) throw cause;
    throw new DaemonGone(cause.message, { mayBeDone: false, cause });
  }
}

function wordsOf(error: unknown): string | null {
  const { message } = Object(error);
  return typeof message === "string" ? message : null;
}
