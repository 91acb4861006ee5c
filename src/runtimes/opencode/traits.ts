/** What is known of OpenCode's runtime before it is loaded. */
import type { RuntimeIds, RuntimeTraits } from "../../core/transcript/transcript.ts";

export const opencodeTraits: RuntimeTraits = {
  takesIds: true,
  sendingAgain: "reruns",
  attachments: [],
  takesSystem: true,
};

export function opencodeIds(digest: string): RuntimeIds {
  return { messageId: `msg_${digest}`, partId: `prt_${digest}` };
}
