/**
 * The runtime for Claude Code: one process per lane, a session that continues across processes, and prompts with ids
 * that Waybill chooses. A prompt counts as accepted when the program acknowledges it. The transcript file is the source
 * of truth, since the output of a process is lost when the daemon dies.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import type { Lane, Notice } from "../../core/lane/lane.ts";
import type { TranscriptSlice } from "../../core/transcript/transcript.ts";
import type { ForkedSession, SubmitOutcome } from "../port.ts";
import type { ProcessRecord } from "../process-pool/process-record.ts";
import type { Launch, LaunchSettings, ProcessRuntimeOptions, ReadPrompt } from "../process-pool/process-runtime.ts";
import { ProcessRuntime } from "../process-pool/process-runtime.ts";
import { notTooLong, toolServerName, toolsUnavailable } from "../tool-servers.ts";
import { checkAgent, claudeArguments, escapeSlash, initializeParams } from "./arguments.ts";
import { StdioClient } from "./client.ts";
import { claudeEnvironment } from "./environment.ts";
import { fileBlock } from "./prompt.ts";
import { Transcripts } from "./transcript/sessions.ts";
import { ClaudeTranslator } from "./translate/translate.ts";

export type ClaudeOptions = ProcessRuntimeOptions & { mcpConfigPath?: string };

export class ClaudeRuntime extends ProcessRuntime<StdioClient> {
  readonly #options: ClaudeOptions;
  readonly #transcripts: Transcripts;
  /** The lanes that were read, needed to resync after an orphaned process ends. */
  readonly #lanes = new Map<string, Lane>();

  constructor(options: ClaudeOptions) {
    super(options);
    const { clock, directory, env } = options;
    this.#options = options;
    const configDirectory = env.CLAUDE_CONFIG_DIR ?? join(env.HOME ?? homedir(), ".claude");
    this.#transcripts = new Transcripts({ configDirectory, markers: join(directory, "prompted"), clock });
  }

  override notices(lane: Lane): readonly Notice[] {
    const client = lane.sessionId === null ? null : this.pool.clientOf(lane.id, lane.sessionId);
    const isMissing = client?.missingServers.includes(toolServerName);
    const tools = isMissing ? [toolsUnavailable("Claude Code could not connect to their server.")] : [];
    return [...super.notices(lane), ...tools];
  }

  override laneRemoved(laneId: string): void {
    this.#lanes.delete(laneId);
    super.laneRemoved(laneId);
  }

  sessionsIn({ directory }: Lane, _signal: AbortSignal, since = 0): Promise<string[]> {
    return this.#transcripts.sessionsIn(directory, since);
  }

  async fork(lane: Lane, { sessionId, before }: { sessionId: string; before: string | null }): Promise<ForkedSession> {
    return { sessionId: await this.#transcripts.fork(lane.directory, sessionId, before), renamed: new Map() };
  }

  async read(lane: Lane, sessionId: string, limit: number | null): Promise<TranscriptSlice> {
    this.#lanes.set(lane.id, lane);
    return this.#transcripts.slice(lane.directory, sessionId, limit, this.processOf(lane.id, sessionId));
  }

  protected override orphanEnded(record: ProcessRecord): void {
    const lane = this.#lanes.get(record.laneId);
    if (lane) void this.resync(lane, record.sessionId).catch(this.#options.onError);
    super.orphanEnded(record);
  }

  protected launch(lane: Lane, sessionId: string, settings: LaunchSettings): Launch<StdioClient> {
    const { env, mcpConfigPath = null } = this.#options;
    const resumed = this.#transcripts.exists(lane.directory, sessionId);
    return {
      args: claudeArguments({ lane, sessionId, resumed, mcpConfigPath, ...settings }),
      sessionArgs: ["--resume", "--session-id", sessionId],
      env: claudeEnvironment(env),
      resumed,
      createClient: (connection) =>
        new StdioClient(connection, (result) => this.#transcripts.turnEnded(sessionId, result)),
      handshake: async (client) => checkAgent(lane.agent, await client.request("initialize", initializeParams)),
      translator: () => new ClaudeTranslator({ resumed }),
    };
  }

  protected async beforeSend(_lane: Lane, { sessionId }: ReadPrompt, client: StdioClient): Promise<boolean> {
    if (client.missingServers.includes(toolServerName)) {
      await notTooLong(this.#options.clock, client.reconnect(toolServerName)).catch(() => {});
    }
    this.#transcripts.markPrompted(sessionId);
    return false;
  }

  protected async send(client: StdioClient, prompt: ReadPrompt): Promise<SubmitOutcome> {
    const { sessionId, messageId, text, files } = prompt;
    this.signals.promptSent(sessionId, messageId, text);
    const isQueued = await client.prompt(messageId, escapeSlash(text), files.map(fileBlock));
    return isQueued ? { outcome: "accepted" } : { outcome: "unknown", reason: "program_ended" };
  }
}
