/** What is known of the scripted agent's runtime before it is loaded. */
import type { RuntimeIds, RuntimeTraits } from "../../core/transcript/transcript.ts";

export const stubTraits: RuntimeTraits = { takesIds: true, sendingAgain: "reruns", attachments: false };

export function stubIds(digest: string): RuntimeIds {
  return { messageId: `msg_${digest}`, partId: `prt_${digest}` };
}
