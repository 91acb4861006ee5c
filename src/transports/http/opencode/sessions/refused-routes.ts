/** What OpenCode does with a session and Waybill does not: each says so, and what to do instead. */
import { AppError } from "../../../../app-error.ts";
import { ownSession } from "./known-session.ts";
import type { SessionApp, SessionDeps } from "./session-deps.ts";

type Refusal = { method: "POST" | "DELETE" | "PATCH"; path: string; what: string; instead: string };

const kept = "What was delivered stays as it was.";

export const refusals: readonly Refusal[] = [
  {
    method: "POST",
    path: "fork",
    what: "Sessions cannot be forked.",
    instead: "Begin a new session and say what it needs to know.",
  },
  { method: "POST", path: "init", what: "There is no `init` here.", instead: "Ask the agent for it in a message." },
  { method: "POST", path: "share", what: "Sessions are not shared.", instead: "They stay on this machine." },
  { method: "DELETE", path: "share", what: "Sessions are not shared.", instead: "They stay on this machine." },
  {
    method: "POST",
    path: "summarize",
    what: "Waybill does not shorten an agent's memory.",
    instead: "Agent programs do so by themselves when they need to.",
  },
  {
    method: "POST",
    path: "command",
    what: "Commands are not run here.",
    instead: "Send what the command says as a message.",
  },
  { method: "POST", path: "shell", what: "Waybill runs no shell commands.", instead: "Ask the agent to run it." },
  { method: "POST", path: "revert", what: "Messages cannot be reverted.", instead: kept },
  { method: "POST", path: "unrevert", what: "Messages cannot be reverted.", instead: kept },
  { method: "DELETE", path: "message/:messageID", what: "Messages cannot be deleted.", instead: kept },
  { method: "DELETE", path: "message/:messageID/part/:partID", what: "Parts cannot be deleted.", instead: kept },
  { method: "PATCH", path: "message/:messageID/part/:partID", what: "Parts cannot be changed.", instead: kept },
];

export function addRefusals(app: SessionApp, { desk }: SessionDeps): void {
  for (const { method, path, what, instead } of refusals) {
    app.on(method, `/session/:sessionID/${path}`, async (c) => {
      await ownSession(desk, c.req.param("sessionID") ?? "");
      throw new AppError({ code: "not_served", message: what, hint: instead });
    });
  }
}
