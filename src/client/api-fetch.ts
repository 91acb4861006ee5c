/**
 * The operations of the API, typed from its document. Uses only the types of openapi-fetch: its code needs `Request`
 * and `Headers`, which take Node.js longer to load than a short command takes to run.
 */
import type { Client } from "openapi-fetch";
import type { paths } from "./api-types.ts";

type FetchInit = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  signal: AbortSignal;
};

/** The parts of a `Response` that are used. */
type FetchResponse = Pick<Response, "ok" | "status" | "text"> & { readonly body: Response["body"] };

/** The platform's `fetch` fits. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export type Api = Pick<Client<paths>, FetchInit["method"]>;

type Values = Readonly<Record<string, unknown>>;
/** The same as in openapi-fetch. A body is JSON unless there is a `bodySerializer`. */
type CallOptions = {
  params?: { path?: Values; query?: Values };
  body?: unknown;
  bodySerializer?: (body: unknown) => Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  signal: AbortSignal;
};

export function apiAt(baseUrl: string, headers: Record<string, string>, fetch: Fetch): Api {
  const operation =
    (method: FetchInit["method"]) =>
    async (path: string, { params = {}, body, signal, ...options }: CallOptions) => {
      const { bodySerializer = JSON.stringify } = options;
      const sent = body === undefined ? {} : { body: bodySerializer(body) };
      const type = body === undefined ? {} : { "Content-Type": "application/json" };
      const url = baseUrl + withPath(path, params.path ?? {}) + queryOf(params.query ?? {});
      const response = await fetch(url, {
        method,
        headers: { ...type, ...options.headers, ...headers },
        ...sent,
        signal,
      });
      const text = await response.text();
      if (!response.ok) return { error: jsonOrNull(text), response };
      return { data: text === "" ? undefined : JSON.parse(text), response };
    };
  const operations = {
    GET: operation("GET"),
    POST: operation("POST"),
    PUT: operation("PUT"),
    DELETE: operation("DELETE"),
  };
  return operations as unknown as Api;
}

/** An answer that did not come from the daemon may be anything. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function withPath(path: string, values: Values): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}

function queryOf(values: Values): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const one of [value].flat()) if (one !== undefined && one !== null) query.append(name, String(one));
  }
  return query.size === 0 ? "" : `?${query}`;
}
