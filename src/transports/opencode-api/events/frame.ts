/** One event for any number of clients, serialised once in each of the two formats. */
import type { NativeEvent } from "../projection/native-event.ts";
import type { StreamCursor } from "./stream-cursor.ts";
import { cursorText } from "./stream-cursor.ts";

export type IdentifiedEvent = NativeEvent & { id: string };

/**
 * A text that is published as soon as it is complete, and repeated with its message: both frames have the same `key`.
 * Some clients print everything they get, so a client that got the first frame does not get the second.
 */
export type LiveText = { key: object; isRepeat: boolean };

export type SseFrame = {
  readonly id: string;
  readonly type: string;
  /** Where a client that has seen it resumes. */
  readonly at: StreamCursor;
  /** The directory of its session; null for events that concern all clients. */
  readonly directory: string | null;
  readonly liveText: LiveText | null;
  /** For `/event`. */
  readonly plain: string;
  /** For `/global/event`, with the directory. */
  readonly wrapped: string;
};

type FrameParts = {
  at: StreamCursor;
  /** False for a frame that a client must receive again when it resumes. */
  hasId?: boolean;
  directory: string | null;
  liveText?: LiveText | null;
  event: IdentifiedEvent;
};

export function makeFrame(parts: FrameParts): SseFrame {
  const { at, hasId = true, directory, liveText = null, event } = parts;
  const text = JSON.stringify(event);
  let plain: string | undefined;
  let wrapped: string | undefined;
  return {
    id: event.id,
    type: event.type,
    at,
    directory,
    liveText,
    get plain() {
      plain ??= sseText(hasId ? at : null, text);
      return plain;
    },
    get wrapped() {
      const prefix = directory === null ? "" : `"directory":${JSON.stringify(directory)},`;
      wrapped ??= sseText(hasId ? at : null, `{${prefix}"payload":${text}}`);
      return wrapped;
    },
  };
}

/** Without a cursor, a client resumes after the last event that had one. */
export function sseText(at: StreamCursor | null, data: string): string {
  return `${at === null ? "" : `id: ${cursorText(at)}\n`}data: ${data}\n\n`;
}
