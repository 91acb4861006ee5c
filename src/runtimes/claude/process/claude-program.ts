/** Claude Code's program: its name, its error codes and how to install it. */
import { packageFile } from "../../../platform/package-files.ts";
import type { AgentProgram } from "../../process-pool/find-agent.ts";

export const claudeProgram: AgentProgram = {
  name: "Claude Code",
  code: "claude",
  setting: "claudeBin (CLAUDE_BIN)",
  command: "claude",
  testCopy: packageFile("node_modules/.claude-code/node_modules/.bin/claude"),
  installCommand: "npm install -g @anthropic-ai/claude-code",
};
