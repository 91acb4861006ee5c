/** One request to the daemon: the token goes with it, it has a deadline, and whatever goes wrong is a `WaybillError`. */
import type { Client } from "openapi-fetch";
import createClient from "openapi-fetch";
import type { paths } from "./api-types.ts";
import { linked, orAborted } from "./linked-signal.ts";
import { fewTries, repeated } from "./repeat.ts";
import { isDraining, isPassing, isUndone, lostConnection, WaybillError } from "./waybill-error.ts";

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
 * Asks, and asks again when the daemon was not there, or for as long as it is about to end. `safe` says that carrying it out twice does no harm, so that a
 * request that was cut off is repeated as well.
 */
export async function request<T>(
  connection: Connection,
  ask: Ask<T>,
  options: { safe: boolean; signal?: AbortSignal | undefined },
): Promise<T> {
  const wanted = linked([connection.signal, options.signal]);
  const again = options.safe ? isPassing : isUndone;
  try {
    return await repeated(() => once(connection, ask, wanted.signal), {
      if: again,
      waits: fewTries,
      free: isDraining,
      signal: wanted.signal,
    });
  } finally {
    wanted.release();
  }
}

async function once<T>(connection: Connection, ask: Ask<T>, signal: AbortSignal): Promise<T> {
  const url = urlOf(connection);
  const api = createClient<paths>({
    baseUrl: url,
    headers: authorization(connection),
    ...(connection.fetch && { fetch: connection.fetch }),
  });
  const inTime = linked([signal], deadlineMs);
  try {
    const answer = await orAborted(ask(api, inTime), inTime.signal);
    if (!answer.response.ok) throw refusal(answer.response, answer.error);
    return answer.data as T;
  } catch (error) {
    signal.throwIfAborted();
    throw lostConnection(error, url);
  } finally {
    inTime.release();
  }
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
