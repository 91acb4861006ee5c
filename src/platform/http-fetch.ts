/**
 * `fetch` on `node:http`, for frequent small requests. Node's own `fetch` takes three times as much CPU per request,
 * and compiles a parser on the first one, which takes longer than everything else in a short command.
 */
import type { ClientRequest, IncomingMessage } from "node:http";
import { request as httpRequest } from "node:http";
import { Readable } from "node:stream";

type Body = string | Uint8Array;

export type HttpRequest = { method: string; headers: Record<string, string>; body?: Body; signal: AbortSignal };

export type HttpResponse = {
  status: number;
  ok: boolean;
  contentType: string | null;
  /** Use one of these three: a response keeps its connection until it is read to the end. */
  text(): Promise<string>;
  chunks(): AsyncIterable<Uint8Array>;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
};

export async function httpFetch(url: string, { body, ...options }: HttpRequest): Promise<HttpResponse> {
  const request = url.startsWith("https:") ? (await import("node:https")).request : httpRequest;
  const incoming = await responseTo(() => request(url, options), options.method === "GET", body);
  const { statusCode: status = 0 } = incoming;
  return {
    status,
    ok: status >= 200 && status < 300,
    contentType: incoming.headers["content-type"] ?? null,
    text: () => textOf(incoming),
    chunks: () => incoming,
    get body() {
      return Readable.toWeb(incoming) as ReadableStream<Uint8Array<ArrayBuffer>>;
    },
  };
}

/** The server may close a kept-alive connection just as the next request is sent. */
function responseTo(
  makeRequest: () => ClientRequest,
  mayRepeat: boolean,
  body: Body | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = makeRequest();
    request.once("response", resolve);
    request.on("error", (error: NodeJS.ErrnoException) => {
      const wasClosed = request.reusedSocket && error.code === "ECONNRESET";
      if (mayRepeat && wasClosed) responseTo(makeRequest, false, body).then(resolve, reject);
      else reject(error);
    });
    request.end(body);
  });
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  incoming.setEncoding("utf8");
  let text = "";
  for await (const chunk of incoming) text += chunk;
  return text;
}
