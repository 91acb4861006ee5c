/** Reads the body of a request piece by piece. */
import { AppError } from "../../app-error.ts";

/** Does not cancel the body when the reading stops early: that would close the connection before the response. */
export async function* readerChunks(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  while (reader) {
    const { done, value } = await reader.read().catch(clientGone);
    if (done) return;
    yield value;
  }
}

function clientGone(): never {
  throw new AppError({ code: "malformed_request", message: "The request ended before its body did." });
}
