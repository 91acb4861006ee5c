/** Forks: not every agent program can go on twice from the same place, and none is asked to yet. */
import { AppError } from "../../../../app-error.ts";
import type { OpenCodeApp } from "../add-opencode.ts";
import { ownSession } from "./known-session.ts";
import type { SessionDeps } from "./session-deps.ts";

export function addForkRoute(app: OpenCodeApp, { desk }: SessionDeps): void {
  app.post("/session/:sessionID/fork", async (c) => {
    await ownSession(desk, c.req.param("sessionID"));
    throw new AppError({
      code: "not_served",
      message: "Waybill cannot fork a session.",
      hint: "Create a new one, and say in its first message what it needs to know.",
    });
  });
}
