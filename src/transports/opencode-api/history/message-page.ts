/**
 * The messages of a session, newest pages first. The cost of a page depends on its size and the length of its turns,
 * not on the length of the history.
 */
import { AppError } from "../../../platform/app-error.ts";
import type { SessionDeps } from "../opencode-deps.ts";
import type { SessionMessage, SessionSettings } from "../projection/session-view.ts";
import { byTime, sessionSettings } from "../projection/session-view.ts";
import type { FoundSession } from "../request.ts";
import type { EventSpan, FoldedEvents, ReadBefore } from "./read-events.ts";
import { foldEvents, isRest, readerOf, readSpans } from "./read-events.ts";

/** The oldest message of a page, and an event number after all older messages; null for the newest event. */
type PageCursor = { id: string; time: number; seq: number | null };

type MessagePage = { messages: SessionMessage[]; next: string | null };

export type MessageSource = {
  read: ReadBefore;
  settings: SessionSettings;
  sessionID: string;
  /** The live state, for the newest page. */
  live: readonly SessionMessage[];
};

export async function messageSource(
  { sessionID, state }: FoundSession,
  { service, hub }: Pick<SessionDeps, "service" | "hub">,
): Promise<MessageSource> {
  const live = await hub.liveMessages(sessionID);
  return { read: readerOf(service, state.lane.id), settings: sessionSettings(state.lane), sessionID, live };
}

/** Without a limit: all. */
type PageOptions = MessageSource & { limit: number | undefined; before?: PageCursor | undefined };

export async function messagePage(options: PageOptions): Promise<MessagePage> {
  const { read, settings, sessionID, limit = Number.POSITIVE_INFINITY, before, live } = options;
  for await (const span of readSpans(read, before?.seq ?? null)) {
    const folded = await foldEvents(span.events, settings);
    const isWanted = ({ info }: SessionMessage) => isComplete(span, info.time.created) && isOlder(info, before);
    const older = folded.projection.messages(sessionID).filter(isWanted);
    if (older.length < limit && span.completeSince !== null) continue;
    const all = overlayLive(older, live.filter(isWanted));
    const messages = all.slice(Math.max(0, all.length - limit));
    const isLast = messages.length === all.length && span.completeSince === null;
    return { messages, next: isLast ? null : cursorFor(messages[0], folded) };
  }
  return { messages: [], next: null };
}

/** Null if it is no longer kept, or never existed. */
export async function findMessage(source: MessageSource, messageID: string): Promise<SessionMessage | null> {
  let before: PageCursor | undefined;
  while (true) {
    const { messages, next } = await messagePage({ ...source, limit: 100, before });
    const found = messages.find(({ info }) => info.id === messageID);
    if (found || next === null) return found ?? null;
    before = parsePageCursor(next);
  }
}

/**
 * Older messages were published before the end of the turn in which this message began; a few rests are added as
 * margin.
 */
function cursorFor(message: SessionMessage | undefined, { begun, events }: FoldedEvents): string | null {
  if (!message) return null;
  const { id, time } = message.info;
  const first = begun.get(id);
  const rest = first ? events.filter((event) => event.seq > first.seq && isRest(event))[2] : undefined;
  const cursor: PageCursor = { id, time: time.created, seq: rest === undefined ? null : rest.seq + 1 };
  return Buffer.from(JSON.stringify(cursor)).toString("base64url");
}

export function parsePageCursor(text: string): PageCursor {
  try {
    const { id, time, seq } = JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as Record<string, unknown>;
    if (typeof id === "string" && typeof time === "number" && (seq === null || Number.isSafeInteger(seq))) {
      return { id, time, seq: seq as number | null };
    }
  } catch {
    // Rejected below.
  }
  throw new AppError({
    code: "cursor_invalid",
    message: "`before` is not a valid message cursor.",
    hint: "Take it from the `X-Next-Cursor` header of the previous page.",
  });
}

function isComplete({ completeSince }: EventSpan, time: number): boolean {
  return completeSince === null || time >= completeSince;
}

function isOlder({ id, time }: SessionMessage["info"], before: PageCursor | undefined): boolean {
  if (before === undefined) return true;
  return time.created < before.time || (time.created === before.time && id < before.id);
}

/**
 * Kept messages overlaid with their live state, in order. If a message is in both, the live one is newer; but a reader that began in the middle of it lacks some of
 * its parts, and one that lags behind lacks its end.
 */
function overlayLive(kept: readonly SessionMessage[], live: readonly SessionMessage[]): SessionMessage[] {
  const messages = new Map(kept.map((message) => [message.info.id, message]));
  for (const message of live) {
    const known = messages.get(message.info.id);
    if (known && isFinished(known) && !isFinished(message)) continue;
    const parts = known ? mergeParts(known.parts, message.parts) : message.parts;
    messages.set(message.info.id, { info: message.info, parts });
  }
  return [...messages.values()].sort(byTime);
}

function isFinished({ info }: SessionMessage): boolean {
  return info.role === "assistant" && info.time.completed !== undefined;
}

function mergeParts(kept: SessionMessage["parts"], live: SessionMessage["parts"]): SessionMessage["parts"] {
  const parts = new Map([...kept, ...live].map((part) => [part.id, part]));
  return [...parts.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}
