/** The OpenCode-compatible API: serves lanes to OpenCode's own clients (docs/opencode-api.md). */
import type { Mount } from "../http/mount.ts";
import { answerOpenCodeError } from "./error-response.ts";
import { openCodePath, openCodeUser } from "./opencode-path.ts";

export const openCodeMount: Mount = {
  basePath: openCodePath,
  answerError: answerOpenCodeError,
  notFoundHint: "Waybill's docs/opencode-api.md lists all routes.",
  basic: {
    user: openCodeUser,
    hint: `The user is \`${openCodeUser}\`, and the password is the token from Waybill's state directory.`,
  },
  callerOf: null,
  crossOrigin: true,
  load: async () => (await import("./opencode-app.ts")).makeOpenCodeApp,
};
