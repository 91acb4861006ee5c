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
  /** For clients that name no directory. */
  defaultDirectory: string;
  projectOf(directory: string): Project | Promise<Project>;
};

export type SessionDeps = {
  desk: Desk;
  clock: Clock;
  about: About;
  places: Places;
  /** The newest messages of a session as they are told live: what is being said stands in them, too. */
  liveMessages(sessionID: string): readonly MessageRow[] | Promise<readonly MessageRow[]>;
  /** Resolves when the turn of this message is over, and told; also when there will be none. Rejects when aborted. */
  turnEnd(wanted: { lane: string; messageId: string; signal: AbortSignal }): Promise<unknown>;
  /** After this time the answer to a prompt begins with a blank, and again each time it has passed. */
  patienceMs?: number | undefined;
  report: (error: unknown, route: string) => void;
};
