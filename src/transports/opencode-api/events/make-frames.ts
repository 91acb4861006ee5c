/** Makes frames from events and lane changes: the same for live clients and for clients that read them later. */
import { randomUUID } from "node:crypto";
import type { Lane } from "../../../core/lane/lane.ts";
import type { LogItem } from "../../../core/log/log-item.ts";
import { sessionOf, timedId } from "../ids.ts";
import type { NativeEvent } from "../projection/native-event.ts";
import type { Translation, TranslatorDeps } from "./event-translator.ts";
import type { SseFrame } from "./frame.ts";
import { makeFrame } from "./frame.ts";
import type { StreamCursor } from "./stream-cursor.ts";

/** OpenCode's directory name for events that belong to no directory. */
const globalDirectory = "global";

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

/** A lane that was created, changed or removed. */
export async function laneFrame(
  item: LaneItem,
  { sessionInfo }: Pick<TranslatorDeps, "sessionInfo">,
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
