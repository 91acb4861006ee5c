/**
 * The stream of what happens, for as long as one wants it. When the connection breaks, or is silent for longer than the
 * daemon's heartbeat allows, it connects again after the last event that came: none is left out, none comes twice.
 */
import { createParser } from "eventsource-parser";
import { endlessTries, fewTries, pause } from "./repeat.ts";
import type { Connection } from "./requests.ts";
import { authorization, eitherOf, refusal, urlOf } from "./requests.ts";
import type { StreamEvent } from "./shapes.ts";
import { isPassing, lostConnection, WaybillError } from "./waybill-error.ts";

export type StreamOptions = {
  lane?: string | undefined;
  /** The cursor of the last event that is known; without one, from now on. */
  after?: string | undefined;
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
  /** Called when the connection broke; it is tried again by itself. */
  onTrouble?: ((error: WaybillError) => void) | undefined;
};

/** From here on nothing is missed. Comes first, and again after every new connection. */
export type Opened = { type: "open"; cursor: string | null };

type Frame = { id?: string | undefined; event?: string | undefined; data: string };

/** The daemon says something at least every 15 seconds. */
const longestSilenceMs = 45_000;
const mostKnownIds = 1000;

/** Throws when the daemon refuses, and when it cannot be reached in the first place. */
export async function* follow(
  connection: Connection,
  options: StreamOptions,
): AsyncGenerator<StreamEvent | Opened, void, undefined> {
  const { onTrouble } = options;
  const signal = eitherOf(connection.signal, options.signal);
  const known = new Set<string>();
  let last = options.after ?? null;
  let waits: Iterator<number> = fewTries[Symbol.iterator]();
  while (!signal?.aborted) {
    try {
      for await (const frame of frames(connection, options.lane, last, signal)) {
        if (frame.event === "open") {
          waits = endlessTries();
          // When it goes on after an event, `last` is that event: this id may be ahead of what is still to come.
          last ??= frame.id ?? null;
          yield { type: "open", cursor: last };
        } else if (frame.id !== undefined && !known.has(frame.id)) {
          last = frame.id;
          remember(known, last);
          yield { ...eventIn(frame), cursor: last };
        }
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!isPassing(error)) throw error;
      const wait = waits.next();
      if (wait.done) throw error;
      onTrouble?.(error);
      await pause(wait.value, signal).catch(() => {});
    }
  }
}

/** The frames of one connection. Always ends with an error, for the daemon never ends a stream by itself. */
async function* frames(
  connection: Connection,
  lane: string | undefined,
  after: string | null,
  signal: AbortSignal | undefined,
): AsyncGenerator<Frame, never, undefined> {
  const url = urlOf(connection);
  const hangUp = new AbortController();
  const either = eitherOf(signal, hangUp.signal) ?? hangUp.signal;
  const arrived: Frame[] = [];
  const parser = createParser({ onEvent: (frame) => arrived.push(frame) });
  const decoder = new TextDecoder();
  try {
    const body = await inTime(() => open(connection, url, { lane, after, signal: either }), url);
    const reader = body.getReader();
    for (;;) {
      const { value, done } = await inTime(() => reader.read(), url);
      if (done) throw new WaybillError({ code: "connection_lost", message: `The stream from ${url} ended.` });
      parser.feed(decoder.decode(value, { stream: true }));
      yield* arrived.splice(0);
    }
  } catch (error) {
    throw lostConnection(error, url);
  } finally {
    hangUp.abort();
  }
}

type Opening = { lane: string | undefined; after: string | null; signal: AbortSignal };

async function open(connection: Connection, url: string, { lane, after, signal }: Opening) {
  const query = lane === undefined ? "" : `?lane=${encodeURIComponent(lane)}`;
  const response = await (connection.fetch ?? fetch)(
    new Request(`${url}/v1/stream${query}`, {
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
function inTime<T>(wait: () => Promise<T>, url: string): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const giveUp = () =>
      reject(new WaybillError({ code: "no_answer", message: `Nothing came from ${url} for a while.` }));
    const timer = setTimeout(giveUp, longestSilenceMs);
    wait()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

function eventIn(frame: Frame): Omit<StreamEvent, "cursor"> & { type: "reset" } {
  try {
    return JSON.parse(frame.data);
  } catch (cause) {
    throw new WaybillError({ code: "unexpected_answer", message: "An event of the stream is no JSON.", cause });
  }
}

function remember(known: Set<string>, id: string): void {
  known.add(id);
  for (const oldest of known) {
    if (known.size <= mostKnownIds) return;
    known.delete(oldest);
  }
}
