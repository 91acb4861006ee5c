/**
 * The events of a client's stream, serialised once for any number of clients in each of the two formats. They are the
 * same for live clients and for clients that read them later.
 */
import { randomUUID } from "node:crypto";
import type { Session } from "@opencode-ai/sdk/v2/types";
import type { Lane } from "../../../core/lane/lane.ts";
import type { LogItem } from "../../../core/log/log-item.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { QueueLimits } from "../../../service/follow-log.ts";
import { LiveQueue } from "../../../service/follow-log.ts";
import { sessionOf, timedId } from "../ids.ts";
import type { NativeEvent } from "../projection/session-view.ts";

type IdentifiedEvent = NativeEvent & { id: string };

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

function makeFrame(parts: FrameParts): SseFrame {
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

/**
 * A client's position in its stream, sent as the `id` of each event: the last log item that it has seen completely, and
 * how many OpenCode events of the next item it has seen.
 */
export type StreamCursor = { log: string; seen: number };

export function cursorText({ log, seen }: StreamCursor): string {
  return `${log}.${seen}`;
}

/** An earlier version had a third part; its first part is an outdated cursor, which the log detects. */
export function parseCursor(text: string): StreamCursor {
  const [, log, seen, older] = /^([\w-]{1,200})\.(\d{1,6})(\.[\w-]{1,200})?$/.exec(text) ?? [];
  if (log !== undefined) return { log, seen: older === undefined ? Number(seen) : 0 };
  throw new AppError({
    code: "cursor_invalid",
    message: "Invalid event cursor.",
    hint: "Use the id of an event from the same stream unchanged, or omit it.",
  });
}

/** OpenCode's directory name for events that belong to no directory. */
const globalDirectory = "global";

/** `number` counts the events of a replay; null for an event that is only published live. */
type TranslatedEvent = { event: IdentifiedEvent; number: number | null; liveText: LiveText | null };
/** `count` is how many events a replay has. */
export type Translation = { directory: string; count: number; events: readonly TranslatedEvent[] };

/** The frames of one universal event. A client that has seen the last one has seen the whole event. */
export function framesOf(translation: Translation, before: StreamCursor, after: StreamCursor): SseFrame[] {
  const { directory, count, events } = translation;
  let seen = 0;
  return events.map(({ event, number, liveText }) => {
    seen = number ?? seen;
    const at = seen === count ? after : { ...before, seen };
    return makeFrame({ at, directory, liveText, event });
  });
}

/** A lane before its change; `isKnown` if clients were sent its creation and not its removal. */
export type PreviousLane = { lane: Lane | null; isKnown: boolean };

export type LaneItem = LogItem & { type: "lane"; laneId: string; cursor: string };

/** A change of a lane is always kept, and has a lane. */
export function isLaneItem(item: { type: string; laneId?: string | null; cursor: string | null }): item is LaneItem {
  return item.type === "lane" && item.laneId != null && item.cursor !== null;
}

export type SessionInfo = (lane: Lane, updatedAt: number) => Promise<Session>;

/** A lane that was created, changed or removed. */
export async function laneFrame(
  item: LaneItem,
  { sessionInfo }: { sessionInfo: SessionInfo },
  previous: PreviousLane,
): Promise<SseFrame> {
  const { lane, cursor, at: time } = item;
  const sessionID = sessionOf(item.laneId);
  const id = timedId("evt", time, 0, `lane/${cursor}`);
  const known = lane ?? previous.lane;
  // If it was removed before it was read, only its id is known; clients need nothing else then.
  const info = known ? await sessionInfo(known, time) : { id: sessionID };
  const event = { id, type: changeType(lane, time, previous), properties: { sessionID, info } };
  return makeFrame({ at: { log: cursor, seen: 0 }, directory: known?.directory ?? null, event });
}

/** A lane that is created again has the id and creation time of the removed one. */
function changeType(lane: Lane | null, time: number, { isKnown }: PreviousLane): string {
  if (!lane) return "session.deleted";
  return lane.createdAt === time || !isKnown ? "session.created" : "session.updated";
}

export type SnapshotEvent = { directory: string; event: NativeEvent };

/** A client can resume only after the last of them. */
export function* snapshotFrames(at: StreamCursor, time: number, snapshot: readonly SnapshotEvent[]) {
  const seed = randomUUID();
  for (const [index, { directory, event }] of snapshot.entries()) {
    const id = timedId("evt", time, index % 4096, `${seed}/${index}`);
    yield makeFrame({ at, hasId: index === snapshot.length - 1, directory, event: { id, ...event } });
  }
}

/**
 * For a client whose missed events are no longer kept. OpenCode sends this when it restarts in a directory, and its
 * clients reload everything.
 */
export function disposedFrames(at: StreamCursor, directories: readonly string[], time: number): SseFrame[] {
  return [...new Set(directories)].map((directory) => {
    const id = timedId("evt", time, 0, `disposed/${at.log}/${directory}`);
    const event = { id, type: "server.instance.disposed", properties: { directory } };
    return makeFrame({ at, directory, event });
  });
}

/** For clients that are following all directories now; it is not kept. */
export function transientFrame(at: StreamCursor, time: number, event: NativeEvent): SseFrame {
  const id = timedId("evt", time, 0, randomUUID());
  return makeFrame({ at, hasId: false, directory: globalDirectory, event: { id, ...event } });
}

/** The frames queued for one client. */
export class FrameQueue extends LiveQueue<SseFrame> {
  readonly #directory: string | undefined;
  #liveTexts = new WeakSet<object>();

  constructor(directory: string | undefined, signal: AbortSignal, limits?: QueueLimits) {
    super(signal, ({ plain }) => plain.length, limits);
    this.#directory = directory;
  }

  override push(frames: readonly SseFrame[]): void {
    super.push(this.isLive ? frames.filter((frame) => this.wants(frame) && !this.#hasSeenText(frame)) : []);
  }

  wants({ directory }: Pick<SseFrame, "directory">): boolean {
    return this.#directory === undefined || directory === null || directory === this.#directory;
  }

  #hasSeenText({ liveText }: SseFrame): boolean {
    if (liveText?.isRepeat) return this.#liveTexts.has(liveText.key);
    if (liveText) this.#liveTexts.add(liveText.key);
    return false;
  }

  override stop(): void {
    super.stop();
    this.#liveTexts = new WeakSet();
  }
}
