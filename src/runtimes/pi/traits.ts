/** pi's traits, ids and program, available before the runtime is loaded. */

import type { RuntimeIds, RuntimeTraits } from "../../core/transcript/transcript.ts";
import { packageFile } from "../../platform/package-files.ts";
import { acceptedImages, acceptedText } from "../model-files.ts";
import type { AgentProgram } from "../process-pool/find-agent.ts";

// A known prompt is never sent again: pi would run it twice, and the two would look the same in its file.
export const piTraits: RuntimeTraits = {
  takesIds: false,
  sendingAgain: "swallowed",
  // pi's protocol accepts images. Text files are appended to the prompt. There is no way to show the model a PDF.
  attachments: [...acceptedImages, acceptedText],
  takesSystem: true,
};

/** pi never sees these ids; they identify an attempt in the ledger. */
export function piIds(digest: string): RuntimeIds {
  return { messageId: `pi_${digest.slice(0, 32)}`, partId: `pi_part_${digest.slice(0, 32)}` };
}

export const piProgram: AgentProgram = {
  name: "pi",
  code: "pi",
  setting: "piBin (PI_BIN)",
  command: "pi",
  testCopy: packageFile("node_modules/.pi/node_modules/.bin/pi"),
  installCommand: "npm install -g @mariozechner/pi-coding-agent",
};
