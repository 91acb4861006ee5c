/** The traits and ids of OpenCode's runtime, available before the runtime is loaded. */
import type { RuntimeIds, RuntimeTraits } from "../../core/transcript/transcript.ts";
import { acceptedImages, acceptedPdf, acceptedText } from "../model-files.ts";

export const opencodeTraits: RuntimeTraits = {
  takesIds: true,
  sendingAgain: "reruns",
  attachments: [...acceptedImages, acceptedPdf, acceptedText],
  takesSystem: true,
};

export function opencodeIds(digest: string): RuntimeIds {
  return { messageId: `msg_${digest}`, partId: `prt_${digest}` };
}
