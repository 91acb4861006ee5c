/** Where a session is forked, and what the new one is called. */
import { AppError } from "../../../app-error.ts";
import { foldEvents } from "./history/fold-events.ts";
import type { ReadBefore } from "./history/read-backwards.ts";
import { stretchesBack } from "./history/read-backwards.ts";
import type { KnownSession } from "./known-session.ts";
import { placeOf } from "./session-view.ts";

/** The number of the event with which a client's prompt was first told. */
export async function promptEvent(
  read: ReadBefore,
  { sessionID, state }: Pick<KnownSession, "sessionID" | "state">,
  messageID: string,
): Promise<number> {
  const place = placeOf(state.lane);
  for await (const { events, wholeSince } of stretchesBack(read, null)) {
    const { projection, begun } = foldEvents(events, place);
    const row = projection.messages(sessionID).find(({ info }) => info.id === messageID);
    const first = begun.get(messageID);
    if (!row || !first || row.info.time.created < (wholeSince ?? 0)) continue;
    if (row.info.role !== "user") throw noPrompt(messageID);
    return first.seq;
  }
  throw new AppError({ code: "message_unknown", message: `Message not found: ${messageID}` });
}

/** As OpenCode names it. */
export function forkedTitle(title: string): string {
  const [, of, count] = /^(.+) \(fork #(\d+)\)$/.exec(title) ?? [];
  return of === undefined ? `${title} (fork #1)` : `${of} (fork #${Number(count) + 1})`;
}

function noPrompt(messageID: string): AppError {
  return new AppError({
    code: "not_served",
    message: `${messageID} is an answer, and a session is forked before a prompt.`,
    hint: "Name a message of the user, or none.",
  });
}
