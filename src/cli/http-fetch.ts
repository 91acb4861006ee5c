/**
 * `fetch` for the command line's requests, on `node:http`. Node's own compiles a parser at its first request, which takes
 * longer than everything else that a short command does.
 */
import type { IncomingMessage } from "node:http";
import { request as httpRequest } from "node:http";
import { Readable } from "node:stream";
import type { Fetch } from "../client/api-fetch.ts";

export const httpFetch: Fetch = async (url, { body, ...options }) => {
  const request = url.startsWith("https:") ? (await import("node:https")).request : httpRequest;
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, options).once("response", resolve).on("error", reject).end(body);
  });
  const { statusCode: status = 0 } = incoming;
  return {
    status,
    ok: status >= 200 && status < 300,
    text: () => textOf(incoming),
    /** Made when it is asked for, by streams: most answers are read as a whole. */
    get body() {
      return Readable.toWeb(incoming) as ReadableStream<Uint8Array<ArrayBuffer>>;
    },
  };
};

async function textOf(incoming: IncomingMessage): Promise<string> {
  incoming.setEncoding("utf8");
  let text = "";
  for await (const chunk of incoming) text += chunk;
  return text;
}
