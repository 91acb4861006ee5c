/** What was said in a session, what was planned and what was changed. */
import { z } from "zod";
import { AppError } from "../../../app-error.ts";
import type { OpenCodeApp } from "../add-opencode.ts";
import { queryOf } from "../request-query.ts";
import type { PageOptions } from "./history/message-page.ts";
import { findMessage, messagePage, pageCursor } from "./history/message-page.ts";
import { diffIn, todosIn } from "./history/turn-facts.ts";
import type { KnownSession } from "./known-session.ts";
import { knownSession } from "./known-session.ts";
import type { SessionDeps } from "./session-deps.ts";
import { placeOf } from "./session-view.ts";

const pageQuery = z.object({
  limit: z.coerce.number().int().min(0).optional(),
  before: z.string().max(1000).optional(),
});
const diffQuery = z.object({ messageID: z.string().startsWith("msg").optional() });

export function addMessageRoutes(app: OpenCodeApp, deps: SessionDeps): void {
  const { service } = deps;

  app.get("/session/:sessionID/message", async (c) => {
    const { limit, before } = queryOf(c, pageQuery);
    const session = await knownSession(service, c.req.param("sessionID"));
    const cursor = before === undefined ? undefined : pageCursor(before);
    const source = await messagesOf(session, deps);
    // As OpenCode has it: none given, or 0, is all of them.
    const { rows, next } = await messagePage({ ...source, limit: limit || undefined, before: cursor });
    if (next !== null) {
      c.header("X-Next-Cursor", next);
      c.header("Access-Control-Expose-Headers", "X-Next-Cursor");
    }
    return c.json(rows);
  });

  app.get("/session/:sessionID/message/:messageID", async (c) => {
    const session = await knownSession(service, c.req.param("sessionID"));
    const messageID = c.req.param("messageID");
    if (!messageID.startsWith("msg")) throw noMessageId(messageID);
    const found = await findMessage(await messagesOf(session, deps), messageID);
    if (!found) throw new AppError({ code: "message_unknown", message: `Message not found: ${messageID}` });
    return c.json(found);
  });

  app.get("/session/:sessionID/todo", async (c) => {
    const session = await knownSession(service, c.req.param("sessionID"));
    return c.json(await todosIn(readerOf(session, deps), session.sessionID));
  });

  app.get("/session/:sessionID/diff", async (c) => {
    const { messageID } = queryOf(c, diffQuery);
    const session = await knownSession(service, c.req.param("sessionID"));
    const { sessionID, state } = session;
    return c.json(await diffIn(readerOf(session, deps), { place: placeOf(state.lane), sessionID, messageID }));
  });
}

export async function messagesOf(session: KnownSession, deps: SessionDeps) {
  const { sessionID, state } = session;
  const live = await deps.hub.liveMessages(sessionID);
  return { read: readerOf(session, deps), place: placeOf(state.lane), sessionID, live } satisfies Partial<PageOptions>;
}

function readerOf({ state }: KnownSession, { service }: SessionDeps): PageOptions["read"] {
  return (seq, limit) => service.eventsBefore(state.lane.id, seq, limit);
}

function noMessageId(messageID: string): AppError {
  const message = `"${messageID.slice(0, 100)}" is no id of a message: those start with "msg".`;
  return new AppError({ code: "invalid_request", message });
}
