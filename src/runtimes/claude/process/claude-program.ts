/** Claude Code's program: its name, its error codes and where it comes from. */
import { fileURLToPath } from "node:url";
import type { AgentProgram } from "../../process-pool/find-agent.ts";

export const claudeProgram: AgentProgram = {
  name: "Claude Code",
  code: "claude",
  setting: "claudeBin (CLAUDE_BIN)",
  command: "claude",
  testCopy: fileURLToPath(new URL("../../../../node_modules/.claude-code/node_modules/.bin/claude", import.meta.url)),
  installCommand: "npm install -g @anthropic-ai/claude-code",
};
