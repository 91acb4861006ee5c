/** What the session routes are made from. */
import type { OpenCodeDeps } from "../opencode-deps.ts";
import type { MessageRow } from "../projection/session-projection.ts";

export type TurnWanted = { lane: string; messageId: string; signal: AbortSignal };

export type SessionDeps = OpenCodeDeps & {
  /** The newest messages of a session as they are told live: what is being said stands in them, too. */
  liveMessages(sessionID: string): Promise<readonly MessageRow[]>;
  /** Resolves when the turn of this message is over, and told; also when there will be none. Rejects when aborted. */
  turnEnd(wanted: TurnWanted): Promise<unknown>;
  /** After this time the answer to a prompt begins with a blank, and gets another each time that it has passed. */
  patienceMs: number;
};
