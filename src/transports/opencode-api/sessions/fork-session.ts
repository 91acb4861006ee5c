/** Finds the event where a session is forked, and the title of the new session. */

import { sessionSettings } from "../projection/session-view.ts";
import { notServed } from "../refused-routes.ts";
import type { FoundSession } from "./find-session.ts";
import { messageUnknown } from "./find-session.ts";
import { foldEvents } from "./history/fold-events.ts";
import type { ReadBefore } from "./history/read-backwards.ts";
import { readSpans } from "./history/read-backwards.ts";

/** The number of the event with which a client's prompt was first published. */
export async function promptEvent(
  read: ReadBefore,
  { sessionID, state }: Pick<FoundSession, "sessionID" | "state">,
  messageID: string,
): Promise<number> {
  for await (const { events, completeSince } of readSpans(read, null)) {
    const { projection, begun } = await foldEvents(events, sessionSettings(state.lane));
    const message = projection.messages(sessionID).find(({ info }) => info.id === messageID);
    const first = begun.get(messageID);
    if (!message || !first || message.info.time.created < (completeSince ?? 0)) continue;
    if (message.info.role === "user") return first.seq;
    throw notServed(
      `${messageID} is an answer, but a session can be forked only before a prompt.`,
      "Name a message of the user, or leave `messageID` out.",
    );
  }
  throw messageUnknown(messageID);
}

/** The same naming as in OpenCode. */
export function forkedTitle(title: string): string {
  const [, of, count] = /^(.+) \(fork #(\d+)\)$/.exec(title) ?? [];
  return of === undefined ? `${title} (fork #1)` : `${of} (fork #${Number(count) + 1})`;
}
