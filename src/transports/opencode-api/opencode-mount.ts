/** The OpenCode-compatible API: what OpenCode's own clients ask of a server, answered from lanes (docs/opencode-api.md). */
import type { Mount } from "../http/mount.ts";
import { answerOpenCodeError } from "./error-response.ts";
import { openCodePath } from "./opencode-path.ts";

export const openCodeMount: Mount = {
  basePath: openCodePath,
  answerError: answerOpenCodeError,
  notFoundHint: "docs/opencode-api.md of Waybill lists what there is.",
  basicPasswordHint:
    "Give the token that stands in Waybill's state directory as the password (`-p TOKEN`), with any user name.",
  load: async () => (await import("./opencode-app.ts")).makeOpenCodeApp,
};
