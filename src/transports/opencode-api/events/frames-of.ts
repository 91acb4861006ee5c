/** Lines from what happened: the same for those who hear it and for those who read it later. */
import { randomUUID } from "node:crypto";
import type { Lane } from "../../../core/lane/lane.ts";
import type { FeedItem } from "../../../core/log/feed-item.ts";
import { sessionOf, timedId } from "../ids.ts";
import type { Emitted } from "../projection/session-projection.ts";
import type { Line } from "./frame.ts";
import { makeLine } from "./frame.ts";
import type { Position } from "./position.ts";
import type { Translation, TranslatorDeps } from "./translator.ts";

/** How OpenCode names what belongs to no directory. */
const everywhere = "global";

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

/** A lane before it changed; `isKnown` when clients have heard of it, and of no end of it. */
export type LaneBefore = { lane: Lane | null; isKnown: boolean };

/** A lane that was made, changed or removed, for one who has come to `from`. */
export async function laneLine(
  item: FeedItem & { type: "lane" },
  from: Position,
  { sessionInfo }: Pick<TranslatorDeps, "sessionInfo">,
  before: LaneBefore,
): Promise<Line> {
  const { lane, cursor, at: time } = item;
  const sessionID = sessionOf(item.laneId ?? "");
  const id = timedId("evt", time, 0, `lane/${cursor}`);
  const known = lane ?? before.lane;
  // Of one that was removed before anybody looked nothing else is known, and clients look at nothing else.
  const info = known ? await sessionInfo(known, time) : { id: sessionID };
  const event = { id, type: changeOf(lane, time, before), properties: { sessionID, info } };
  return makeLine({ at: { ...from, feed: cursor }, directory: known?.directory ?? null, ofLanes: true, event });
}

/** One that is made again has the name and the age of the one that was removed. */
function changeOf(lane: Lane | null, time: number, { isKnown }: LaneBefore): string {
  if (!lane) return "session.deleted";
  return lane.createdAt === time || !isKnown ? "session.created" : "session.updated";
}

/** What tells a client how things stand; only its last line is one to go on from. */
export function* stateLines(at: Position, time: number, told: readonly Present[]): Generator<Line> {
  const seed = randomUUID();
  for (const [index, { directory, emitted }] of told.entries()) {
    const id = timedId("evt", time, index % 4096, `${seed}/${index}`);
    const event = { id, ...emitted };
    yield makeLine({ at, hasId: index === told.length - 1, directory, event });
  }
}

export type Present = { directory: string; emitted: Emitted };

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

/** For everybody who follows all directories at this moment, and for nobody who comes or goes on later. */
export function passingLine(at: Position, time: number, emitted: Emitted): Line {
  const event = { id: timedId("evt", time, 0, randomUUID()), ...emitted };
  return makeLine({ at, hasId: false, directory: everywhere, event });
}
