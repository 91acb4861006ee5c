/**
 * A proxy in front of a real server on loopback that injects faults for tests. Faults apply in order to matching requests;
 * event streams can be cut or silenced at any time.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";

export type Fault =
  /** The server gets it, and its answer is held until `release`. */
  | { how: "hold" }
  /** The server gets it, and the connection breaks instead of an answer. */
  | { how: "cut" }
  /** The server never gets it, and this is returned instead. */
  | { how: "say"; status: number; type: string; body: string };

export const page: Fault = {
  how: "say",
  status: 200,
  type: "text/html",
  body: "<!doctype html><title>OpenCode</title>",
};
export const fault500: Fault = { how: "say", status: 500, type: "application/json", body: '{"name":"UnknownError"}' };
export const refused: Fault = { how: "say", status: 401, type: "text/plain", body: "Unauthorized" };

type Rule = { method: string; path: RegExp; fault: Fault; left: number };

export class FaultProxy {
  readonly #server = createServer((request, response) => this.#onRequest(request, response));
  readonly #target: string;
  readonly #streams = new Set<ServerResponse>();
  readonly #held = new Set<() => void>();
  readonly #waiting = new Set<() => void>();
  #rules: Rule[] = [];
  #streamsAre: "good" | "silent" | "refused" = "good";
  #hit = 0;
  /** Method and path of every request, in order. */
  readonly requests: string[] = [];
  url = "";

  constructor(target: string) {
    this.#target = target;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  /** For the next `times` matching requests; `*` is any method. */
  fail(method: string, path: RegExp, fault: Fault, times = 1): void {
    this.#rules.push({ method, path, fault, left: times });
  }

  /** Ends all faults. Held answers stay held. */
  heal(): void {
    this.#rules = [];
    this.#streamsAre = "good";
  }

  /** Resolves when this many faults have occurred in total. */
  async hits(count: number): Promise<void> {
    while (this.#hit < count) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** Sends the held answers. */
  release(): void {
    for (const give of this.#held) give();
    this.#held.clear();
  }

  /** Open streams end; new ones are refused until `heal`. */
  refuseStreams(): void {
    this.#streamsAre = "refused";
    this.cutStreams();
  }

  cutStreams(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  /** Open and new streams stay silent until `heal`, without ending. */
  silenceStreams(): void {
    this.#streamsAre = "silent";
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const { method = "", url = "" } = request;
    this.requests.push(`${method} ${url}`);
    const isStream = url.startsWith("/global/event");
    const rule = this.#rules.find(
      (one) => one.left > 0 && (one.method === "*" || one.method === method) && one.path.test(url),
    );
    if (rule) {
      rule.left -= 1;
      this.#hit += 1;
      for (const wake of this.#waiting) wake();
      this.#waiting.clear();
    }
    if (isStream && this.#streamsAre === "refused") return say(response, fault500 as Extract<Fault, { how: "say" }>);
    if (rule?.fault.how === "say") {
      request.resume();
      return say(response, rule.fault);
    }
    this.#passOn(request, response, rule?.fault.how ?? null, isStream);
  }

  #passOn(request: IncomingMessage, response: ServerResponse, fault: "hold" | "cut" | null, isStream: boolean): void {
    const { method, url, headers } = request;
    const asked = httpRequest(new URL(url ?? "/", this.#target), { method, headers }, (answer) => {
      const give = () => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        if (isStream) this.#stream(answer, response);
        else answer.pipe(response);
      };
      if (fault === "cut") {
        answer.resume();
        response.destroy();
      } else if (fault === "hold") this.#held.add(give);
      else give();
    });
    asked.once("error", () => response.destroy());
    // The client may have given up, but the server continues, as behind any proxy that keeps the request.
    if (isStream) response.once("close", () => asked.destroy());
    request.pipe(asked);
  }

  #stream(answer: IncomingMessage, response: ServerResponse): void {
    this.#streams.add(response);
    response.flushHeaders();
    response.once("close", () => this.#streams.delete(response));
    answer.on("data", (chunk) => {
      if (this.#streamsAre === "good") response.write(chunk);
    });
    answer.once("close", () => response.destroy());
    answer.once("error", () => response.destroy());
  }
}

function say(response: ServerResponse, { status, type, body }: Extract<Fault, { how: "say" }>): void {
  response.writeHead(status, { "Content-Type": type }).end(body);
}
