/** The messages of a session, its plan and its changes. */
import { z } from "zod";
import { AppError } from "../../../platform/app-error.ts";
import type { OpenCodeApp } from "../opencode-deps.ts";
import { sessionSettings } from "../projection/session-view.ts";
import { parseQuery } from "../request.ts";
import type { FoundSession } from "./find-session.ts";
import { findSession, messageUnknown } from "./find-session.ts";
import type { MessageSource } from "./history/message-page.ts";
import { findMessage, messagePage, parsePageCursor } from "./history/message-page.ts";
import { readerOf } from "./history/read-backwards.ts";
import { latestTodos, sessionDiff } from "./history/todos-and-diffs.ts";
import type { SessionDeps } from "./session-deps.ts";

const pageQuery = z.object({
  limit: z.coerce.number().int().min(0).optional(),
  before: z.string().max(1000).optional(),
});
const diffQuery = z.object({ messageID: z.string().startsWith("msg").optional() });

export function addMessageRoutes(app: OpenCodeApp, deps: SessionDeps): void {
  const { service } = deps;

  app.get("/session/:sessionID/message", async (c) => {
    const { limit, before } = parseQuery(c, pageQuery);
    const session = await findSession(service, c.req.param("sessionID"));
    const cursor = before === undefined ? undefined : parsePageCursor(before);
    const source = await messageSource(session, deps);
    // As in OpenCode, no limit or 0 means all.
    const { messages, next } = await messagePage({ ...source, limit: limit || undefined, before: cursor });
    if (next !== null) {
      c.header("X-Next-Cursor", next);
      c.header("Access-Control-Expose-Headers", "X-Next-Cursor");
    }
    return c.json(messages);
  });

  app.get("/session/:sessionID/message/:messageID", async (c) => {
    const session = await findSession(service, c.req.param("sessionID"));
    const messageID = c.req.param("messageID");
    if (!messageID.startsWith("msg")) {
      const message = `"${messageID.slice(0, 100)}" is not a message id: those start with "msg".`;
      throw new AppError({ code: "invalid_request", message });
    }
    const found = await findMessage(await messageSource(session, deps), messageID);
    if (!found) throw messageUnknown(messageID);
    return c.json(found);
  });

  app.get("/session/:sessionID/todo", async (c) => {
    const { sessionID, state } = await findSession(service, c.req.param("sessionID"));
    return c.json(await latestTodos(readerOf(service, state.lane.id), sessionID));
  });

  app.get("/session/:sessionID/diff", async (c) => {
    const { messageID } = parseQuery(c, diffQuery);
    const { sessionID, state } = await findSession(service, c.req.param("sessionID"));
    const read = readerOf(service, state.lane.id);
    return c.json(await sessionDiff(read, { settings: sessionSettings(state.lane), sessionID, messageID }));
  });
}

export async function messageSource({ sessionID, state }: FoundSession, deps: SessionDeps): Promise<MessageSource> {
  const live = await deps.hub.liveMessages(sessionID);
  return { read: readerOf(deps.service, state.lane.id), settings: sessionSettings(state.lane), sessionID, live };
}
