/** The OpenCode-compatible API: what OpenCode's own clients ask of a server, answered from lanes (docs/opencode-api.md). */
import type { Mount } from "../http/mount.ts";
import { answerOpenCodeError } from "./error-response.ts";
import { openCodePath, openCodeUser } from "./opencode-path.ts";

export const openCodeMount: Mount = {
  basePath: openCodePath,
  answerError: answerOpenCodeError,
  notFoundHint: "docs/opencode-api.md of Waybill lists what there is.",
  basic: {
    user: openCodeUser,
    hint: `The user is \`${openCodeUser}\`, and the password is the token that stands in Waybill's state directory.`,
  },
  callerOf: null,
  crossOrigin: true,
  load: async () => (await import("./opencode-app.ts")).makeOpenCodeApp,
};
