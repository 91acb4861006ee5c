/** Claude Code's program: what it is called, and where it comes from. */
import { fileURLToPath } from "node:url";
import type { AgentProgram } from "../../process-pool/find-agent.ts";

export const claudeProgram: AgentProgram = {
  name: "Claude Code",
  code: "claude",
  setting: "claudeBin (CLAUDE_BIN)",
  usual: "claude",
  beside: fileURLToPath(new URL("../../../../node_modules/.claude-code/node_modules/.bin/claude", import.meta.url)),
  install: "npm install -g @anthropic-ai/claude-code",
};
