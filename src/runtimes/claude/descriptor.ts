/** Claude Code's descriptor: its settings, how to start it, and its doctor checks. */
import { join } from "node:path";
import { ok } from "../../platform/doctor-check.ts";
import { path, program } from "../../platform/setting-types.ts";
import { defineRuntime } from "../descriptor.ts";
import { locateAgent } from "../process-pool/find-agent.ts";
import { hasProcessRecords } from "../process-pool/process-record.ts";
import { checkProgram, modelsOf } from "../program-checks.ts";
import { claudeIds, claudeProgram, claudeTraits } from "./traits.ts";

const kind = "claude";

export const claude = defineRuntime({
  kind,
  name: claudeProgram.name,
  provider: "claude_code",
  program: claudeProgram.command,
  locate: (env) => locateAgent(claudeProgram, claudeProgram.command, env),
  hasLogin: async (env) => (await import("./environment.ts")).hasClaudeLogin(env),
  traits: claudeTraits,
  idsFrom: claudeIds,
  offers: ["sessionsIn", "fork"],
  settings: {
    claudeBin: program.default(claudeProgram.command).meta({
      env: "CLAUDE_BIN",
      description:
        "The Claude Code program. Defaults to the one in PATH, then to the one installed for Waybill's tests.",
    }),
    claudeMcpConfigPath: path.optional().meta({
      env: "CLAUDE_MCP_CONFIG_PATH",
      description: "A file in Claude Code's own format with more MCP servers for its lanes.",
    }),
  },
  laneSettings: {},
  laneProblem: () => null,
  prepare({ claudeBin, claudeMcpConfigPath }, context) {
    const { env, clock, stateDirectory, systemPromptPath, toolServer, idleMs, maxResting, onError } = context;
    const directory = join(stateDirectory, kind);
    return {
      hasOrphans: hasProcessRecords(directory),
      async load() {
        const { ClaudeRuntime } = await import("./runtime.ts");
        return new ClaudeRuntime({
          program: claudeBin,
          env,
          directory,
          clock,
          ...(systemPromptPath === undefined ? {} : { systemPromptPath }),
          ...(claudeMcpConfigPath === undefined ? {} : { mcpConfigPath: claudeMcpConfigPath }),
          toolServer,
          idleMs,
          maxResting,
          permissions: async (lane) => ({
            ...(await context.permissions(lane)),
            policy: context.permissionPolicy === "trusted" ? "trusted" : "safe",
          }),
          onError,
        });
      },
    };
  },
  doctor: async ({ claudeBin }, context) => [
    await checkProgram(kind, { program: claudeBin, path: locateAgent(claudeProgram, claudeBin, context.env) }, context),
    ok(`model ${kind}`, `${modelsOf(context.lanes)}.`),
  ],
});
