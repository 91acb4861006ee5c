/**
 * `fetch` for the command line's requests, on `node:http`. Node's own compiles a parser at its first request, which takes
 * longer than everything else that a short command does.
 */
import type { IncomingMessage } from "node:http";
import { request as httpRequest } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";

export async function httpFetch(request: Request): Promise<Response> {
  const body = request.body === null ? undefined : await request.text();
  const send = request.url.startsWith("https:") ? (await import("node:https")).request : httpRequest;
  const headers = Object.fromEntries(request.headers);
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    send(request.url, { method: request.method, headers, signal: request.signal })
      .once("response", resolve)
      .once("error", reject)
      .end(body);
  });
  return await responseOf(incoming);
}

async function responseOf(incoming: IncomingMessage): Promise<Response> {
  const { statusCode: status = 0, headers } = incoming;
  const init = { status, headers: { "content-type": headers["content-type"] ?? "" } };
  if (headers["content-type"]?.startsWith("text/event-stream")) {
    return new Response(Readable.toWeb(incoming) as ReadableStream, init);
  }
  // As a whole: a stream of the web's kind would cost more than the request.
  const body = await text(incoming);
  return new Response(body === "" ? null : body, init);
}
