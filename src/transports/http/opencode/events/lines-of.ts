/** Lines from what happened: the same for those who hear it and for those who read it later. */
import type { FeedItem } from "../../../../delivery/feed.ts";
import type { Lane } from "../../../../delivery/lane.ts";
import { sessionOf, timedId } from "../ids.ts";
import type { Line } from "./line.ts";
import { makeLine } from "./line.ts";
import type { Position } from "./position.ts";
import type { Translation, TranslatorDeps } from "./translator.ts";

/** Those of one universal event. Whoever has seen the last of them has seen the event. */
export function linesOf(translation: Translation, before: Position, after: Position): Line[] {
  const { directory, count, events } = translation;
  let seen = 0;
  return events.map(({ event, number, words }) => {
    seen = number ?? seen;
    const at = seen === count ? after : { ...before, seen };
    return makeLine({ at, directory, words, event });
  });
}

/** A lane that was made, changed or removed. */
export async function laneLine(
  item: FeedItem & { type: "lane" },
  reached: () => Position,
  { sessionInfo }: Pick<TranslatorDeps, "sessionInfo">,
  directoryOf: (laneId: string) => string | undefined,
): Promise<Line> {
  const { lane, laneId, cursor, at: time } = item;
  const sessionID = sessionOf(laneId ?? "");
  const id = timedId("evt", time, 0, `lane/${cursor}`);
  if (lane) {
    const event = { id, type: changeOf(lane, time), properties: { sessionID, info: await sessionInfo(lane, time) } };
    // Only now: other events may have been told meanwhile.
    const at = { ...reached(), feed: cursor };
    return makeLine({ at, directory: lane.directory, ofLanes: true, event });
  }
  // Nothing else is known of it any more, and clients look at nothing else.
  const event = { id, type: "session.deleted", properties: { sessionID, info: { id: sessionID } } };
  const at = { ...reached(), feed: cursor };
  return makeLine({ at, directory: directoryOf(laneId ?? "") ?? null, ofLanes: true, event });
}

function changeOf({ createdAt }: Lane, time: number): string {
  return createdAt === time ? "session.created" : "session.updated";
}

/**
 * For a client whose past is not kept any more. OpenCode says this when it starts anew in a directory, and its clients
 * then load everything again.
 */
export function disposedLines(at: Position, directories: readonly string[], time: number): Line[] {
  return [...new Set(directories)].map((directory) => {
    const id = timedId("evt", time, 0, `disposed/${at.events}/${at.feed}/${directory}`);
    const event = { id, type: "server.instance.disposed", properties: { directory } };
    return makeLine({ at, directory, event });
  });
}
