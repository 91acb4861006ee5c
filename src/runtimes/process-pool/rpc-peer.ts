/**
 * One side of a conversation in requests, responses and notifications with a program, over lines of JSON. The framing
 * says what they look like on the wire; it is JSON-RPC 2.0 unless a program has its own. Does no I/O: lines come in
 * through `receive` and go out through `write`. It keeps only open requests, however much the program prints, and
 * nothing that the program prints makes it throw.
 */
import { messageOf } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Json } from "../json-fields.ts";
import { asNumber, asObject, asText, jsonIn } from "../json-fields.ts";

export type RpcId = string | number;

export type RpcFailure = { code?: number; message: string; data?: unknown };

/** `params` and results are read tolerantly: anything but an object counts as an empty one. */
export type RpcMessage =
  | { type: "request"; id: RpcId; method: string; params: Json }
  | { type: "notification"; method: string; params: Json }
  | { type: "response"; id: RpcId; result: Json }
  | { type: "response"; id: RpcId; error: RpcFailure };

export type RpcRequest = Extract<RpcMessage, { type: "request" }>;

export type RpcFraming = {
  /** Unique in this conversation. `count` is how many requests were sent. */
  newId(count: number): RpcId;
  /** Null for a line of another form. */
  read(line: Json): RpcMessage | null;
  write(message: RpcMessage): object;
};

/** Some programs leave out `jsonrpc`, so it is not required. */
export const jsonRpcFraming: RpcFraming = {
  newId: (count) => count,
  read(line) {
    const { id, method, params, error, result } = line;
    const hasId = typeof id === "string" || typeof id === "number";
    if (typeof method === "string") {
      const call = { method, params: asObject(params) ?? {} };
      return hasId ? { type: "request", id, ...call } : id === undefined ? { type: "notification", ...call } : null;
    }
    if (!hasId) return null;
    const failure = asObject(error);
    if (failure) {
      const message = asText(failure.message) ?? "refused";
      return { type: "response", id, error: { code: asNumber(failure.code), message, data: failure.data } };
    }
    return result === undefined ? null : { type: "response", id, result: asObject(result) ?? {} };
  },
  write: ({ type: _type, ...message }) => ({ jsonrpc: "2.0", ...message }),
};

/** The program answered with an error. */
export class RpcError extends Error {
  readonly code: number | null;
  readonly data: unknown;

  constructor({ code, message, data }: RpcFailure) {
    super(message);
    this.code = code ?? null;
    this.data = data;
  }
}

export type RpcPeerOptions = {
  framing?: RpcFraming;
  write: (line: object) => void;
  /** For requests with a timeout. */
  clock?: Pick<Clock, "now" | "at">;
  /** A request of the program. Every one has to be answered with `respond` or `refuse`. */
  onRequest?: (request: RpcRequest) => void;
  onNotification?: (method: string, params: Json) => void;
  /** A line that is none of these. */
  onUnparsed?: (reason: string, line: string) => void;
  /** How many requests may be open at a time. */
  maxOpen?: number;
};

type OpenRequest = { resolve: (result: Json) => void; reject: (error: Error) => void };

const defaultMaxOpen = 1000;

export class RpcPeer {
  readonly #options: RpcPeerOptions;
  readonly #framing: RpcFraming;
  readonly #open = new Map<RpcId, OpenRequest>();
  #count = 0;
  #endReason: string | null = null;

  constructor(options: RpcPeerOptions) {
    this.#options = options;
    this.#framing = options.framing ?? jsonRpcFraming;
  }

  /** Rejects with an `RpcError` if the program refuses, and with another error if it ends or takes too long. */
  request(method: string, params: Json = {}, { timeoutMs }: { timeoutMs?: number } = {}): Promise<Json> {
    const { maxOpen = defaultMaxOpen } = this.#options;
    if (this.#endReason !== null) return Promise.reject(new Error(this.#endReason));
    if (this.#open.size >= maxOpen) {
      return Promise.reject(new Error(`${maxOpen} requests are waiting for a response, so ${method} was not sent.`));
    }
    this.#count += 1;
    const id = this.#framing.newId(this.#count);
    const response = new Promise<Json>((resolve, reject) => this.#open.set(id, { resolve, reject }));
    this.#write({ type: "request", id, method, params });
    return timeoutMs === undefined ? response : this.#withTimeout(response, { id, method, timeoutMs });
  }

  notify(method: string, params: Json = {}): void {
    this.#write({ type: "notification", method, params });
  }

  respond(id: RpcId, result: Json): void {
    this.#write({ type: "response", id, result });
  }

  refuse(id: RpcId, error: RpcFailure): void {
    this.#write({ type: "response", id, error });
  }

  receive(line: string | Json): void {
    const { onRequest, onNotification, onUnparsed } = this.#options;
    const json = typeof line === "string" ? jsonIn(line) : line;
    const message = json && this.#framing.read(json);
    if (!message) {
      const text = typeof line === "string" ? line : JSON.stringify(line);
      return onUnparsed?.(json ? "neither a request nor a response" : "no JSON", text);
    }
    switch (message.type) {
      case "request":
        if (onRequest) return this.#safely(() => onRequest(message), message.id);
        return this.refuse(message.id, { code: methodNotFound, message: `${message.method} is not supported.` });
      case "notification":
        return onNotification?.(message.method, message.params);
      case "response":
        return this.#responded(message);
    }
  }

  /** The program has ended: no open request will get a response. */
  end(reason: string): void {
    this.#endReason = reason;
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const { reject } of open) reject(new Error(reason));
  }

  /** A response to no open request came too late, or is an echo of our own. */
  #responded(message: Extract<RpcMessage, { type: "response" }>): void {
    const open = this.#open.get(message.id);
    if (!open) return;
    this.#open.delete(message.id);
    if ("error" in message) open.reject(new RpcError(message.error));
    else open.resolve(message.result);
  }

  /** Without a response the program would wait forever. */
  #safely(handle: () => void, id: RpcId): void {
    try {
      handle();
    } catch (error) {
      this.refuse(id, { code: internalError, message: messageOf(error) });
    }
  }

  #withTimeout(response: Promise<Json>, request: { id: RpcId; method: string; timeoutMs: number }): Promise<Json> {
    const { clock } = this.#options;
    if (!clock) throw new Error("A request with a timeout needs a clock.");
    const cancel = clock.at(clock.now() + request.timeoutMs, () => {
      const open = this.#open.get(request.id);
      this.#open.delete(request.id);
      open?.reject(new Error(`${request.method} got no response within ${request.timeoutMs} ms.`));
    });
    return response.finally(cancel);
  }

  #write(message: RpcMessage): void {
    if (this.#endReason === null) this.#options.write(this.#framing.write(message));
  }
}

const methodNotFound = -32601;
const internalError = -32603;
