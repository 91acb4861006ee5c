/**
 * A stream of the daemon that reconnects. If the connection breaks, or is silent for longer than the daemon's heartbeat
 * allows, it continues after the last received event: none is skipped or repeated. Events without an id are not stored
 * by the daemon, so a new connection does not repeat them.
 */
import { createParser } from "eventsource-parser";
import { jsonOrNull } from "./api-fetch.ts";
import type { DaemonConnection } from "./requests.ts";
import { authorization, errorIn, fetchOf, urlOf } from "./requests.ts";
import { anyOf, endlessRetryMs, requestRetryMs, waitBeforeRetry, withinTime } from "./retry.ts";
import { connectionError, isTransient, WaybillError } from "./waybill-error.ts";

export type StreamOptions = {
  lane?: string | undefined;
  /** Only these types; `events` stands for everything that agents do and say. */
  types?: readonly string[] | undefined;
  /** The cursor of the last known event; by default the stream starts now. */
  after?: string | undefined;
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
  /** Called when the stream starts at the present; nothing is missed from then on. */
  onOpen?: (() => void) | undefined;
  /** Called for each connection, the first and every later one. */
  onConnected?: (() => void) | undefined;
  /** Called when the connection breaks; the stream reconnects automatically. */
  onError?: ((error: WaybillError) => void) | undefined;
};

/** Nothing is missed from here on. Comes first when the stream starts at the present. */
export type Opened = { type: "open"; cursor: string | null };

export function isOpening(event: { type: string }): event is Opened {
  return event.type === "open";
}

type Frame = { id?: string | undefined; event?: string | undefined; data: string };

/** The daemon sends something at least every 15 seconds. */
const silenceLimitMs = 45_000;
const maxKnownIds = 1000;

const path = "/v1/stream";

/**
 * `T` is an event of the stream, with the `cursor` to continue from after it. Throws if the daemon refuses, or if the
 * first connection fails.
 */
export async function* followStream<T extends { cursor: string }>(
  connection: DaemonConnection,
  options: StreamOptions,
): AsyncGenerator<T | Opened, void, undefined> {
  const signal = anyOf(connection.signal, options.signal);
  const known = new Set<string>();
  let last = options.after ?? null;
  let waits: Iterator<number> = requestRetryMs[Symbol.iterator]();
  const onConnected = () => {
    waits = endlessRetryMs();
    options.onConnected?.();
  };
  while (!signal.aborted) {
    try {
      const request = { lane: options.lane, types: options.types, after: last, signal };
      for await (const frame of framesOf(connection, request, onConnected)) {
        if (frame.event === "open") {
          // When resuming, `last` is the event to resume after; this id would skip events that are still to come.
          last ??= frame.id ?? null;
          yield { type: "open", cursor: last };
        } else if (frame.id === undefined) {
          yield { ...eventIn(frame), cursor: last ?? "" } as T;
        } else if (!known.has(frame.id)) {
          last = frame.id;
          // A store restored to an earlier state gives the same ids to other events.
          if (frame.event === "reset") known.clear();
          remember(known, last);
          yield { ...eventIn(frame), cursor: last } as T;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!isTransient(error)) throw error;
      const wait = waits.next();
      if (wait.done) throw error;
      options.onError?.(error);
      await waitBeforeRetry(wait.value, signal).catch(() => {});
    }
  }
}

type StreamRequest = Pick<StreamOptions, "lane" | "types"> & {
  after: string | null;
  signal: AbortSignal;
};

/** The frames of one connection. Always ends with an error, because only the reader ends a stream on purpose. */
async function* framesOf(
  connection: DaemonConnection,
  request: StreamRequest,
  onConnected: () => void,
): AsyncGenerator<Frame, never, undefined> {
  const url = urlOf(connection);
  const arrived: Frame[] = [];
  const parser = createParser({ onEvent: (frame) => arrived.push(frame) });
  const decoder = new TextDecoder();
  let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  try {
    // Only waiting for the daemon counts; the reader may take as long as it likes between two events.
    const body = await withinTime(silenceLimitMs, request.signal, (signal) =>
      open(connection, url, { ...request, signal }),
    );
    const bodyReader = body.getReader();
    reader = bodyReader;
    for (let isFirst = true; ; isFirst = false) {
      const { value, done } = await withinTime(silenceLimitMs, request.signal, () => bodyReader.read());
      if (done) throw new WaybillError({ code: "connection_lost", message: `The stream from ${url} ended.` });
      if (isFirst) onConnected();
      parser.feed(decoder.decode(value, { stream: true }));
      yield* arrived.splice(0);
    }
  } catch (error) {
    throw connectionError(error, url);
  } finally {
    // Disconnects. Its own error is already thrown above.
    reader?.cancel().catch(() => {});
  }
}

async function open(connection: DaemonConnection, url: string, { lane, types, after, signal }: StreamRequest) {
  const query = new URLSearchParams();
  if (lane !== undefined) query.set("lane", lane);
  if (types !== undefined) query.set("types", types.join(","));
  const response = await fetchOf(connection)(`${url}${path}${query.size > 0 ? `?${query}` : ""}`, {
    method: "GET",
    headers: {
      Accept: "text/event-stream",
      ...authorization(connection),
      ...(after !== null && { "Last-Event-ID": after }),
    },
    signal,
  });
  if (!response.ok) throw errorIn(response, jsonOrNull(await response.text()));
  const { body } = response;
  if (!body) throw new WaybillError({ code: "unexpected_answer", message: `${url} sent no stream.` });
  return body;
}

function eventIn(frame: Frame): object {
  try {
    return JSON.parse(frame.data);
  } catch (cause) {
    throw new WaybillError({ code: "unexpected_answer", message: "An event of the stream is not JSON.", cause });
  }
}

function remember(known: Set<string>, id: string): void {
  known.add(id);
  for (const oldest of known) {
    if (known.size <= maxKnownIds) return;
    known.delete(oldest);
  }
}
