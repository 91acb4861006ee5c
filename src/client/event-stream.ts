/**
 * A stream of the daemon, for as long as one wants it. When the connection breaks, or is silent for longer than the
 * daemon's heartbeat allows, it connects again after the last event that came: none is left out, none comes twice. What
 * has no id is not kept by the daemon, and is missing from what a new connection brings.
 */
import { createParser } from "eventsource-parser";
import { linked, orAborted } from "./linked-signal.ts";
import { endlessTries, fewTries, pause } from "./repeat.ts";
import type { Connection } from "./requests.ts";
import { authorization, refusal, urlOf } from "./requests.ts";
import { isPassing, lostConnection, WaybillError } from "./waybill-error.ts";

export type StreamOptions = {
  lane?: string | undefined;
  /** The cursor of the last event that is known; without one, from now on. */
  after?: string | undefined;
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
  /** Called when it begins at what happens now: from then on nothing is missed. */
  onOpen?: (() => void) | undefined;
  /** Called when the connection broke; it is tried again by itself. */
  onError?: ((error: WaybillError) => void) | undefined;
};

/** From here on nothing is missed. Comes first when the stream begins at what happens now. */
export type Opened = { type: "open"; cursor: string | null };

export function isOpening(event: { type: string }): event is Opened {
  return event.type === "open";
}

type Frame = { id?: string | undefined; event?: string | undefined; data: string };

/** The daemon says something at least every 15 seconds. */
const longestSilenceMs = 45_000;
const maxKnownIds = 1000;

/**
 * `T` is what the stream at `path` brings, `cursor` included: where to go on from after it. Throws when the daemon
 * refuses, and when it cannot be reached in the first place.
 */
export async function* follow<T extends { cursor: string }>(
  connection: Connection,
  path: string,
  options: StreamOptions,
): AsyncGenerator<T | Opened, void, undefined> {
  const wanted = linked([connection.signal, options.signal]);
  const known = new Set<string>();
  let last = options.after ?? null;
  let waits: Iterator<number> = fewTries[Symbol.iterator]();
  const connected = () => {
    waits = endlessTries();
  };
  try {
    while (!wanted.signal.aborted) {
      try {
        const opening = { path, lane: options.lane, after: last, signal: wanted.signal };
        for await (const frame of frames(connection, opening, connected)) {
          if (frame.event === "open") {
            // When it goes on after an event, `last` is that event: this id would be ahead of what is still to come.
            last ??= frame.id ?? null;
            yield { type: "open", cursor: last };
          } else if (frame.id === undefined) {
            yield { ...eventIn(frame), cursor: last ?? "" } as T;
          } else if (!known.has(frame.id)) {
            last = frame.id;
            // A store that was put back to an earlier state gives the same ids to other events.
            if (frame.event === "reset") known.clear();
            remember(known, last);
            yield { ...eventIn(frame), cursor: last } as T;
          }
        }
      } catch (error) {
        if (wanted.signal.aborted) return;
        if (!isPassing(error)) throw error;
        const wait = waits.next();
        if (wait.done) throw error;
        options.onError?.(error);
        await pause(wait.value, wanted.signal).catch(() => {});
      }
    }
  } finally {
    wanted.release();
  }
}

type Opening = { path: string; lane: string | undefined; after: string | null; signal: AbortSignal };

/** The frames of one connection. Always ends with an error, for nobody but the reader ends a stream on purpose. */
async function* frames(
  connection: Connection,
  opening: Opening,
  connected: () => void,
): AsyncGenerator<Frame, never, undefined> {
  const url = urlOf(connection);
  const line = linked([opening.signal]);
  const arrived: Frame[] = [];
  const parser = createParser({ onEvent: (frame) => arrived.push(frame) });
  const decoder = new TextDecoder();
  let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  try {
    const body = await inTime(open(connection, url, { ...opening, signal: line.signal }), line.signal, url);
    reader = body.getReader();
    for (;;) {
      const { value, done } = await inTime(reader.read(), line.signal, url);
      if (done) throw new WaybillError({ code: "connection_lost", message: `The stream from ${url} ended.` });
      connected();
      parser.feed(decoder.decode(value, { stream: true }));
      yield* arrived.splice(0);
    }
  } catch (error) {
    throw lostConnection(error, url);
  } finally {
    line.release();
    line.abort();
    // Hangs up for certain; what it has to say is what is known already.
    reader?.cancel().catch(() => {});
  }
}

async function open(connection: Connection, url: string, { path, lane, after, signal }: Opening) {
  const query = lane === undefined ? "" : `?lane=${encodeURIComponent(lane)}`;
  const response = await (connection.fetch ?? fetch)(
    new Request(`${url}${path}${query}`, {
      headers: {
        Accept: "text/event-stream",
        ...authorization(connection),
        ...(after !== null && { "Last-Event-ID": after }),
      },
      signal,
    }),
  );
  if (!response.ok) throw refusal(response, await response.json().catch(() => null));
  if (!response.body) throw new WaybillError({ code: "unexpected_answer", message: `${url} sent no stream.` });
  return response.body;
}

/** Only waiting for the daemon counts: whoever reads the events may take as long as they like. */
function inTime<T>(coming: Promise<T>, signal: AbortSignal, url: string): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const giveUp = () =>
      reject(new WaybillError({ code: "no_answer", message: `Nothing came from ${url} for a while.` }));
    const timer = setTimeout(giveUp, longestSilenceMs);
    orAborted(coming, signal)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

function eventIn(frame: Frame): object {
  try {
    return JSON.parse(frame.data);
  } catch (cause) {
    throw new WaybillError({ code: "unexpected_answer", message: "An event of the stream is no JSON.", cause });
  }
}

function remember(known: Set<string>, id: string): void {
  known.add(id);
  for (const oldest of known) {
    if (known.size <= maxKnownIds) return;
    known.delete(oldest);
  }
}
