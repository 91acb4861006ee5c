/** One event on its way to any number of clients: what is sent is made once, in each of the two forms that are asked for. */
import type { Position } from "./position.ts";
import { positionText } from "./position.ts";

export type OpenCodeEvent = { id: string; type: string; properties: Record<string, unknown> };

/**
 * Words that were told as soon as they were whole, and are told again with the message that they belong to: both lines
 * carry the same `spoken`. Some clients print what they are told, so whoever has heard them once is spared the second.
 */
export type Words = { spoken: object; again: boolean };

export type Line = {
  readonly id: string;
  readonly type: string;
  /** Where whoever has seen it goes on. */
  readonly at: Position;
  /** Of its session; null for what concerns everybody. */
  readonly directory: string | null;
  /** True for changes of lanes, which have an order of their own. */
  readonly ofLanes: boolean;
  readonly words: Words | null;
  /** For those who follow one directory, or look at no directory. */
  readonly plain: string;
  /** For those who follow all, with the directory beside it. */
  readonly wrapped: string;
  /** The same, for a client that is told it at another place in its stream. */
  readonly toldAt: (at: Position) => Line;
};

type Making = {
  at: Position;
  /** False for what has to be told again to whoever leaves now. */
  hasId?: boolean;
  directory: string | null;
  ofLanes?: boolean;
  words?: Words | null;
  event: OpenCodeEvent;
};

export function makeLine(making: Making): Line {
  const { at, hasId = true, directory, ofLanes = false, words = null, event } = making;
  const text = JSON.stringify(event);
  const place = directory === null ? "" : `"directory":${JSON.stringify(directory)},`;
  let plain: string | undefined;
  let wrapped: string | undefined;
  return {
    id: event.id,
    type: event.type,
    at,
    directory,
    ofLanes,
    words,
    get plain() {
      plain ??= sent(hasId ? at : null, text);
      return plain;
    },
    get wrapped() {
      wrapped ??= sent(hasId ? at : null, `{${place}"payload":${text}}`);
      return wrapped;
    },
    toldAt: (other) => makeLine({ ...making, at: other }),
  };
}

/** Without a position, whoever resumes does so after the last event that had one. */
export function sent(at: Position | null, data: string): string {
  return `${at === null ? "" : `id: ${positionText(at)}\n`}data: ${data}\n\n`;
}
