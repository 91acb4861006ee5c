/** One request to the daemon: the token goes with it, it has a deadline, and whatever goes wrong is a `WaybillError`. */
import type { Client } from "openapi-fetch";
import createClient from "openapi-fetch";
import type { paths } from "./api-types.ts";
import { fewTries, repeated } from "./repeat.ts";
import { isPassing, isUndone, lostConnection, WaybillError } from "./waybill-error.ts";

export type Connection = {
  /** A function is asked for every request, for a daemon that may come back at another address. */
  url: string | (() => string);
  /** Left out in the page, where a cookie says who asks. */
  token?: string | undefined;
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Ends everything that goes over this connection. */
  signal?: AbortSignal | undefined;
};

type Answer<T> = { data?: T; error?: unknown; response: Response };
type Ask<T> = (api: Client<paths>, init: { signal: AbortSignal }) => Promise<Answer<T>>;

const deadlineMs = 30_000;

/**
 * Asks, and asks again when the daemon was not there. `safe` says that carrying it out twice does no harm, so that a
 * request that was cut off is repeated as well.
 */
export function request<T>(
  connection: Connection,
  ask: Ask<T>,
  options: { safe: boolean; signal?: AbortSignal | undefined },
): Promise<T> {
  const { safe } = options;
  const signal = eitherOf(connection.signal, options.signal);
  return repeated(() => once(connection, ask, signal), { if: safe ? isPassing : isUndone, waits: fewTries, signal });
}

async function once<T>(connection: Connection, ask: Ask<T>, signal: AbortSignal | undefined): Promise<T> {
  const url = urlOf(connection);
  const deadline = AbortSignal.timeout(deadlineMs);
  const api = createClient<paths>({
    baseUrl: url,
    headers: authorization(connection),
    ...(connection.fetch && { fetch: connection.fetch }),
  });
  let answer: Answer<T>;
  try {
    answer = await ask(api, { signal: eitherOf(signal, deadline) ?? deadline });
  } catch (error) {
    signal?.throwIfAborted();
    throw lostConnection(error, url);
  }
  if (!answer.response.ok) throw refusal(answer.response, answer.error);
  return answer.data as T;
}

export function eitherOf(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other);
}

export function urlOf({ url }: Connection): string {
  return (typeof url === "string" ? url : url()).replace(/\/+$/, "");
}

export function authorization({ token }: Connection): Record<string, string> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

/** The daemon's own words, or what can be said of an answer that is not from it. */
export function refusal({ status }: Response, body: unknown): WaybillError {
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
