/**
 * The messages of a session, newest pages first. What a page costs follows from its size, and from how long the turns
 * in it are, and not from how much came before it.
 */
import { AppError } from "../../../../app-error.ts";
import type { UniversalEvent } from "../../../../core/turn/universal-event.ts";
import type { MessageRow, Place } from "../../projection/session-projection.ts";
import type { Told } from "./fold-events.ts";
import { foldEvents } from "./fold-events.ts";
import { laidOver } from "./overlay.ts";
import type { ReadBefore, Stretch } from "./read-backwards.ts";
import { isRest, stretchesBack } from "./read-backwards.ts";

/** The oldest message of a page, and the event before which all that is older has been told; null for the newest. */
export type PageCursor = { id: string; time: number; seq: number | null };

export type MessagePage = { rows: MessageRow[]; next: string | null };

export type PageOptions = {
  read: ReadBefore;
  place: Place;
  sessionID: string;
  /** Without one: all. */
  limit: number | undefined;
  before?: PageCursor | undefined;
  /** As they are told at this moment; they stand on the newest page. */
  live: readonly MessageRow[];
};

export async function messagePage({ read, place, sessionID, limit, before, live }: PageOptions): Promise<MessagePage> {
  const most = limit ?? Number.POSITIVE_INFINITY;
  for await (const stretch of stretchesBack(read, before?.seq ?? null)) {
    const told = foldEvents(stretch.events, place);
    const whole = told.projection.messages(sessionID).filter(({ info }) => isIn(stretch, info.time.created));
    const older = before === undefined ? whole : whole.filter(({ info }) => isOlder(info, before));
    if (older.length < most && stretch.wholeSince !== null) continue;
    const newer = live.filter(({ info }) => isIn(stretch, info.time.created));
    const rows = laidOver(older, before === undefined ? newer : newer.filter(({ info }) => isOlder(info, before)));
    const page = Number.isFinite(most) ? rows.slice(Math.max(0, rows.length - most)) : rows;
    const isLast = page.length === rows.length && stretch.wholeSince === null;
    return { rows: page, next: isLast ? null : cursorFor(page[0], told) };
  }
  return { rows: [], next: null };
}

/** Null when it is not kept, or never was. */
export async function findMessage(
  options: Pick<PageOptions, "read" | "place" | "sessionID" | "live">,
  messageID: string,
): Promise<MessageRow | null> {
  let before: PageCursor | undefined;
  while (true) {
    const { rows, next } = await messagePage({ ...options, limit: 100, before });
    const found = rows.find(({ info }) => info.id === messageID);
    if (found || next === null) return found ?? null;
    before = pageCursor(next);
  }
}

/** What is older was told before the turn ended in which this message began; the rests after it are to spare. */
function cursorFor(row: MessageRow | undefined, { begun, events }: Told): string | null {
  if (!row) return null;
  const first = begun.get(row.info.id);
  const after = first ? events.filter((event) => event.seq > first.seq && isRest(event)) : [];
  const cursor: PageCursor = { id: row.info.id, time: row.info.time.created, seq: seqAfter(after[2]) };
  return Buffer.from(JSON.stringify(cursor)).toString("base64url");
}

function seqAfter(event: UniversalEvent | undefined): number | null {
  return event === undefined ? null : event.seq + 1;
}

export function pageCursor(text: string): PageCursor {
  try {
    const { id, time, seq } = JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as Record<string, unknown>;
    if (typeof id === "string" && typeof time === "number" && (seq === null || Number.isSafeInteger(seq))) {
      return { id, time, seq: seq as number | null };
    }
  } catch {
    // Said below.
  }
  throw new AppError({
    code: "cursor_invalid",
    message: "`before` is no cursor that a list of messages has handed out.",
    hint: "Take it from the header `X-Next-Cursor` of the page before.",
  });
}

function isIn({ wholeSince }: Stretch, time: number): boolean {
  return wholeSince === null || time >= wholeSince;
}

function isOlder({ id, time }: MessageRow["info"], before: PageCursor): boolean {
  return time.created < before.time || (time.created === before.time && id < before.id);
}
