/** The base of every part of the client: requests over one connection. */
import type { DaemonConnection } from "./requests.ts";
import { request, urlOf } from "./requests.ts";

export type Paging = { limit?: number | undefined; cursor?: string | undefined };
export type Signal = { signal?: AbortSignal | undefined };

export class DaemonRequests {
  protected readonly connection: DaemonConnection;

  constructor(connection: DaemonConnection) {
    this.connection = connection;
  }

  /** The daemon's address. */
  get url(): string {
    return urlOf(this.connection);
  }

  /** For requests that are harmless to execute twice. */
  protected safely<T>(ask: Parameters<typeof request<T>>[1], signal?: AbortSignal): Promise<T> {
    return request(this.connection, ask, { safe: true, signal });
  }

  protected change<T>(ask: Parameters<typeof request<T>>[1]): Promise<T> {
    return request(this.connection, ask, { safe: false });
  }
}
