/**
 * The routes of OpenCode's server that are refused here, each for a reason that a person can read. docs/opencode-api.md
 * shows this table next to the served routes; tests compare both with the app and with the real server.
 */
export type Refusal = { why: string; instead: string };

const refusals = {
  credentials: {
    why: "Credentials belong to the agent programs, and Waybill never sees them.",
    instead: "Log in with the program itself, on the machine where Waybill runs.",
  },
  configuration: {
    why: "Waybill is configured by its own file, and its agent programs by theirs.",
    instead: "Change the file and restart.",
  },
  instances: {
    why: "A client cannot stop, reload or move what other clients use.",
    instead: "`waybill restart` restarts the daemon.",
  },
  terminals: {
    why: "Waybill opens no shells: only the agent works in a lane.",
    instead: "Send the agent a message, or open a shell yourself.",
  },
  terminalControl: {
    why: "It controls a terminal client remotely, which Waybill does not support.",
    instead: "Send prompts to the session.",
  },
  tools: {
    why: "Tools belong to the agent program of a lane, and not every program lists them.",
    instead: "The events of a session show the tools that were used.",
  },
  servers: {
    why: "MCP servers are set up in the agent programs.",
    instead: "Add them in the program's own configuration.",
  },
  changes: {
    why: "Waybill shows file changes in one format only, and changes no repositories.",
    instead: "GET /vcs/diff shows uncommitted changes, GET /session/{sessionID}/diff the changes of a session.",
  },
  workspaces: {
    why: "A lane works in its configured directory; Waybill creates and moves no directories.",
    instead: "Create the directory yourself, then create a session in it.",
  },
  sharing: {
    why: "Waybill publishes nothing from a lane.",
    instead: "`waybill show` prints a message with its answer.",
  },
  rewriting: {
    why: "The ledger and the history of a lane are never rewritten.",
    instead: "Send another message, or create a new session.",
  },
  programsOwn: {
    why: "It depends on the lane's agent program, and not every program supports it.",
    instead: "Ask the agent for it in a message.",
  },
  newerApi: {
    why: "Waybill serves only the part of OpenCode's newer API that OpenCode's own clients use.",
    instead: "The older routes under /session, /permission, /question and /event do the same.",
  },
} as const satisfies Record<string, Refusal>;

/** Each path with its methods. */
const pathsByReason: Readonly<Record<keyof typeof refusals, readonly string[]>> = {
  credentials: [
    "PUT DELETE /auth/{providerID}",
    "POST /provider/{providerID}/oauth/authorize",
    "POST /provider/{providerID}/oauth/callback",
    "POST /experimental/console/switch",
    "POST /api/integration/{integrationID}/connect/key",
    "POST /api/integration/{integrationID}/connect/oauth",
    "GET DELETE /api/integration/attempt/{attemptID}",
    "POST /api/integration/attempt/{attemptID}/complete",
    "PATCH DELETE /api/credential/{credentialID}",
  ],
  configuration: ["PATCH /config", "PATCH /global/config", "PATCH /project/{projectID}"],
  instances: [
    "POST /global/dispose",
    "POST /global/upgrade",
    "POST /instance/dispose",
    "POST /sync/start",
    "POST /sync/replay",
    "POST /sync/steal",
    "POST /sync/history",
  ],
  terminals: [
    "GET /pty/shells",
    "GET POST /pty",
    "GET PUT DELETE /pty/{ptyID}",
    "POST /pty/{ptyID}/connect-token",
    "GET /pty/{ptyID}/connect",
    "GET POST /api/pty",
    "GET PUT DELETE /api/pty/{ptyID}",
    "POST /api/pty/{ptyID}/connect-token",
    "GET /api/pty/{ptyID}/connect",
    "POST /session/{sessionID}/shell",
  ],
  terminalControl: [
    "POST /tui/append-prompt",
    "POST /tui/open-help",
    "POST /tui/open-sessions",
    "POST /tui/open-themes",
    "POST /tui/open-models",
    "POST /tui/submit-prompt",
    "POST /tui/clear-prompt",
    "POST /tui/execute-command",
    "POST /tui/show-toast",
    "POST /tui/publish",
    "POST /tui/select-session",
    "GET /tui/control/next",
    "POST /tui/control/response",
  ],
  tools: ["GET /experimental/tool", "GET /experimental/tool/ids"],
  servers: [
    "POST /mcp",
    "POST DELETE /mcp/{name}/auth",
    "POST /mcp/{name}/auth/callback",
    "POST /mcp/{name}/auth/authenticate",
    "POST /mcp/{name}/connect",
    "POST /mcp/{name}/disconnect",
  ],
  changes: ["GET /vcs/status", "GET /vcs/diff/raw", "POST /vcs/apply", "POST /project/git/init"],
  workspaces: [
    "POST /experimental/control-plane/move-session",
    "POST DELETE /experimental/worktree",
    "POST /experimental/worktree/reset",
    "POST /experimental/workspace",
    "POST /experimental/workspace/sync-list",
    "DELETE /experimental/workspace/{id}",
    "POST /experimental/workspace/warp",
    "POST DELETE /experimental/project/{projectID}/copy",
    "POST /experimental/project/{projectID}/copy/refresh",
    "POST /experimental/project/{projectID}/copy/generate-name",
  ],
  sharing: ["POST DELETE /session/{sessionID}/share"],
  rewriting: [
    "POST /session/{sessionID}/revert",
    "POST /session/{sessionID}/unrevert",
    "DELETE /session/{sessionID}/message/{messageID}",
    "DELETE PATCH /session/{sessionID}/message/{messageID}/part/{partID}",
  ],
  programsOwn: [
    "POST /session/{sessionID}/command",
    "POST /session/{sessionID}/init",
    "POST /session/{sessionID}/summarize",
    "POST /experimental/session/{sessionID}/background",
  ],
  newerApi: [
    "POST /api/session",
    "GET /api/session/active",
    "GET /api/session/{sessionID}",
    "POST /api/session/{sessionID}/agent",
    "POST /api/session/{sessionID}/model",
    "POST /api/session/{sessionID}/prompt",
    "POST /api/session/{sessionID}/compact",
    "POST /api/session/{sessionID}/wait",
    "POST /api/session/{sessionID}/revert/stage",
    "POST /api/session/{sessionID}/revert/clear",
    "POST /api/session/{sessionID}/revert/commit",
    "GET /api/session/{sessionID}/context",
    "GET /api/session/{sessionID}/history",
    "GET /api/session/{sessionID}/event",
    "POST /api/session/{sessionID}/interrupt",
    "GET /api/session/{sessionID}/message/{messageID}",
    "GET /api/session/{sessionID}/message",
    "GET /api/permission/request",
    "GET /api/permission/saved",
    "DELETE /api/permission/saved/{id}",
    "POST GET /api/session/{sessionID}/permission",
    "GET /api/session/{sessionID}/permission/{requestID}",
    "POST /api/session/{sessionID}/permission/{requestID}/reply",
    "GET /api/question/request",
    "GET /api/session/{sessionID}/question",
    "POST /api/session/{sessionID}/question/{requestID}/reply",
    "POST /api/session/{sessionID}/question/{requestID}/reject",
    "GET /api/fs/read/*",
    "GET /api/event",
  ],
};

export const refusedRoutes: readonly { route: string; refusal: Refusal }[] = Object.entries(pathsByReason).flatMap(
  ([reason, paths]) => {
    const refusal = refusals[reason as keyof typeof refusals];
    return paths.flatMap(routesOf).map((route) => ({ route, refusal }));
  },
);

function routesOf(pathWithMethods: string): string[] {
  const [path = "", ...methods] = pathWithMethods.split(" ").reverse();
  return methods.reverse().map((method) => `${method} ${path}`);
}
