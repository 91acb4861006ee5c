/** Claude Code's descriptor: its program, traits and settings. */
import { path } from "../../platform/setting-types.ts";
import { acceptedImages, acceptedPdf, acceptedText } from "../model-files.ts";
import { processRuntime } from "../process-pool/process-descriptor.ts";
import program from "./program.json" with { type: "json" };

export const claude = processRuntime({
  kind: "claude",
  provider: "claude_code",
  program,
  bin: { key: "claudeBin", env: "CLAUDE_BIN" },
  hasLogin: async (env) => (await import("./environment.ts")).hasClaudeLogin(env),
  traits: {
    takesIds: true,
    sendingAgain: "swallowed",
    attachments: [...acceptedImages, acceptedPdf, acceptedText],
    takesSystem: true,
  },
  /** Claude Code requires UUIDs as prompt ids. */
  idsFrom(digest) {
    const messageId = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/s, "$1-$2-8$3-8$4-$5");
    return { messageId, partId: messageId };
  },
  offers: ["sessionsIn", "fork"],
  settings: {
    claudeMcpConfigPath: path.optional().meta({
      env: "CLAUDE_MCP_CONFIG_PATH",
      description: "A file in Claude Code's own format with more MCP servers for its lanes.",
    }),
  },
  async load(options, { claudeMcpConfigPath }) {
    const { ClaudeRuntime } = await import("./runtime.ts");
    return new ClaudeRuntime({
      ...options,
      ...(claudeMcpConfigPath === undefined ? {} : { mcpConfigPath: claudeMcpConfigPath }),
    });
  },
});
