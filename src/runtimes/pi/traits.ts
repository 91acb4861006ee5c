/** What is known of pi's runtime before it is loaded. */
import type { RuntimeIds, RuntimeTraits } from "../../core/transcript/transcript.ts";
import { acceptedImages, acceptedText } from "../model-files.ts";

// A known prompt is never sent again: pi would run it twice, and its rows would look alike.
export const piTraits: RuntimeTraits = {
  takesIds: false,
  sendingAgain: "swallowed",
  // Its protocol takes images. Text goes below the prompt; nothing shows a PDF to the model.
  attachments: [...acceptedImages, acceptedText],
  takesSystem: true,
};

/** pi does not get them; they name an attempt in the ledger. */
export function piIds(digest: string): RuntimeIds {
  return { messageId: `pi_${digest.slice(0, 32)}`, partId: `pi_part_${digest.slice(0, 32)}` };
}
