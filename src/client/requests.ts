/** Requests to the daemon. Each carries the token, has a time limit, and fails with a `WaybillError`. */
import type { Api, Fetch } from "./api-fetch.ts";
import { apiAt } from "./api-fetch.ts";
import { anyOf, requestRetryMs, withinTime, withRetries } from "./retry.ts";
import { connectionError, isDraining, isTransient, WaybillError, wasNotExecuted } from "./waybill-error.ts";

export type DaemonConnection = {
  /** A function is called for every request, for a daemon whose address may change. */
  url: string | (() => string);
  /** Left out in the page, which has a cookie instead. */
  token?: string | undefined;
  /** Replaces the platform's own. */
  fetch?: Fetch | undefined;
  /** Ends everything that uses this connection. */
  signal?: AbortSignal | undefined;
};

type Answer<T> = { data?: T; error?: unknown; response: Response };
type Ask<T> = (api: Api, init: { signal: AbortSignal }) => Promise<Answer<T>>;

const requestLimitMs = 30_000;

export type Paging = { limit?: number | undefined; cursor?: string | undefined };
export type Signal = { signal?: AbortSignal | undefined };

/** The base of every part of the client: requests over one connection. */
export class DaemonRequests {
  protected readonly connection: DaemonConnection;

  constructor(connection: DaemonConnection) {
    this.connection = connection;
  }

  /** The daemon's address. */
  get url(): string {
    return urlOf(this.connection);
  }

  /** For requests that are harmless to execute twice: they are also retried after the connection broke. */
  protected safely<T>(ask: Ask<T>, signal?: AbortSignal): Promise<T> {
    return this.#request(ask, isTransient, signal);
  }

  protected change<T>(ask: Ask<T>): Promise<T> {
    return this.#request(ask, wasNotExecuted);
  }

  /** Retries if the daemon was unreachable, and for as long as it drains. */
  #request<T>(ask: Ask<T>, mayRetry: (error: unknown) => boolean, ended?: AbortSignal): Promise<T> {
    const signal = anyOf(this.connection.signal, ended);
    const retries = { if: mayRetry, waits: requestRetryMs, free: isDraining, signal };
    return withRetries(() => requestOnce(this.connection, ask, signal), retries);
  }
}

async function requestOnce<T>(connection: DaemonConnection, ask: Ask<T>, signal: AbortSignal): Promise<T> {
  const url = urlOf(connection);
  const api = apiAt(url, authorization(connection), fetchOf(connection));
  try {
    const answer = await withinTime(requestLimitMs, signal, (inTime) => ask(api, { signal: inTime }));
    if (!answer.response.ok) throw errorIn(answer.response, answer.error);
    return answer.data as T;
  } catch (error) {
    signal.throwIfAborted();
    throw connectionError(error, url);
  }
}

export function urlOf({ url }: DaemonConnection): string {
  return (typeof url === "string" ? url : url()).replace(/\/+$/, "");
}

export function fetchOf(connection: DaemonConnection): Fetch {
  return connection.fetch ?? fetch;
}

export function authorization({ token }: DaemonConnection): Record<string, string> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

/** The daemon's own error, or one for an answer that did not come from the daemon. */
export function errorIn({ status }: { status: number }, body: unknown): WaybillError {
  const { error } = (typeof body === "object" && body !== null ? body : {}) as {
    error?: { code?: unknown; message?: unknown; hint?: unknown };
  };
  if (typeof error?.code !== "string" || typeof error.message !== "string") {
    const message = `The daemon answered with HTTP status ${status}.`;
    return new WaybillError({ code: "unexpected_answer", message, status });
  }
  const hint = typeof error.hint === "string" ? error.hint : undefined;
  return new WaybillError({ code: error.code, message: error.message, hint, status });
}

/** The fields of a query or body that have a value. */
type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out fields without a value. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
