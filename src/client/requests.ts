/** One request to the daemon. Carries the token, has a time limit, and fails with a `WaybillError`. */
import type { Api, Fetch } from "./api-fetch.ts";
import { apiAt } from "./api-fetch.ts";
import { requestRetryMs, withRetries } from "./retry.ts";
import { anyOf, withinTime } from "./time-limit.ts";
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

/**
 * Retries if the daemon was unreachable, and for as long as it drains. `safe` requests are harmless to execute twice,
 * so they are also retried after the connection broke.
 */
export async function request<T>(
  connection: DaemonConnection,
  ask: Ask<T>,
  options: { safe: boolean; signal?: AbortSignal | undefined },
): Promise<T> {
  const signal = anyOf(connection.signal, options.signal);
  return withRetries(() => requestOnce(connection, ask, signal), {
    if: options.safe ? isTransient : wasNotExecuted,
    waits: requestRetryMs,
    free: isDraining,
    signal,
  });
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
