/** The traits and ids of Claude Code's runtime, available before the runtime is loaded. */

import type { RuntimeIds, RuntimeTraits } from "../../core/transcript/transcript.ts";
import { packageFile } from "../../platform/package-files.ts";
import { acceptedImages, acceptedPdf, acceptedText } from "../model-files.ts";
import type { AgentProgram } from "../process-pool/find-agent.ts";

export const claudeTraits: RuntimeTraits = {
  takesIds: true,
  sendingAgain: "swallowed",
  attachments: [...acceptedImages, acceptedPdf, acceptedText],
  takesSystem: true,
};

/** Claude Code requires UUIDs as prompt ids. */
export function claudeIds(digest: string): RuntimeIds {
  const messageId = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/s, "$1-$2-8$3-8$4-$5");
  return { messageId, partId: messageId };
}

export const claudeProgram: AgentProgram = {
  name: "Claude Code",
  code: "claude",
  setting: "claudeBin (CLAUDE_BIN)",
  command: "claude",
  testCopy: packageFile("node_modules/.claude-code/node_modules/.bin/claude"),
  installCommand: "npm install -g @anthropic-ai/claude-code",
};
