/** What the session routes are made from. */
import type { Hono } from "hono";
import type { Clock } from "../../../../clock.ts";
import type { Desk } from "../../../port.ts";
import type { Env } from "../../env.ts";
import type { About } from "../../routes/route-deps.ts";
import type { MessageRow } from "../projection/session-projection.ts";

export type SessionApp = Hono<Env>;

export type Project = { id: string; worktree: string };

/** Where sessions are, as the routes about the place say it. */
export type Places = {
  /** The directory that a client names, or the one where it is when it names none. */
  directoryFor(named: string | undefined): Promise<string>;
  projectOf(directory: string): Promise<Project>;
};

export type TurnWanted = { lane: string; messageId: string; signal: AbortSignal };

export type SessionDeps = {
  desk: Desk;
  clock: Clock;
  about: About;
  places: Places;
  /** The newest messages of a session as they are told live: what is being said stands in them, too. */
  liveMessages(sessionID: string): Promise<readonly MessageRow[]>;
  /** Resolves when the turn of this message is over, and told; also when there will be none. Rejects when aborted. */
  turnEnd(wanted: TurnWanted): Promise<unknown>;
  /** After this time the answer to a prompt begins with a blank, and gets another each time that it has passed. */
  patienceMs: number;
};
