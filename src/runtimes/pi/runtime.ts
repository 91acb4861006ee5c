/**
 * The runtime for pi: one process per lane, and a session file that continues across processes. pi takes no ids, so
 * prompts are recognised by their first words. pi exits with its client, so a turn ends with the daemon.
 */
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Lane, Notice } from "../../core/lane/lane.ts";
import type { TranscriptSlice } from "../../core/transcript/transcript.ts";
import { AppError } from "../../platform/app-error.ts";
import type { ForkedSession, Prompt, SubmitOutcome } from "../port.ts";
import type { Launch, LaunchSettings, ProcessRuntimeOptions, ReadPrompt } from "../process-pool/process-runtime.ts";
import { ProcessRuntime } from "../process-pool/process-runtime.ts";
import { toolsUnavailable } from "../tool-servers.ts";
import { gateRules, piArguments } from "./arguments.ts";
import { RpcClient } from "./client.ts";
import { piEnvironment } from "./environment.ts";
import { imagesIn, withTextFiles } from "./prompt.ts";
import { sessionFolders } from "./transcript/files.ts";
import { PiSessions } from "./transcript/sessions.ts";
import { PiTranslator } from "./translate/translate.ts";

export type PiOptions = ProcessRuntimeOptions & {
  provider: string;
  model: string;
  apiKey: string | null;
  maxSteps: number;
};

export class PiRuntime extends ProcessRuntime<RpcClient> {
  readonly #options: PiOptions;
  readonly #sessions: PiSessions;

  constructor(options: PiOptions) {
    super(options);
    this.#options = options;
    this.#sessions = new PiSessions(sessionFolders(options.env), join(options.directory, "sessions"));
  }

  /**
   * An orphaned process has lost its input, and with it its turn. It is ended along with everything it left running.
   */
  override async recover(): Promise<void> {
    await super.recover();
    await this.orphans.endAll();
  }

  sessionsIn({ directory }: Lane, _signal: AbortSignal, since = 0): Promise<string[]> {
    return this.#sessions.sessionsIn(directory, since);
  }

  async checkAdoption(lane: Lane, sessionId: string): Promise<void> {
    // The id becomes part of a path.
    const isId = /^[\w-]+$/.test(sessionId);
    const directory = isId ? await this.#sessions.directoryOf(lane.directory, sessionId) : null;
    if (directory === null) throw sessionUnknown(sessionId);
    if (directory !== (await realpath(lane.directory))) throw otherDirectory(lane, sessionId, directory);
  }

  async fork(lane: Lane, { sessionId, before }: { sessionId: string; before: string | null }): Promise<ForkedSession> {
    return this.#sessions.fork(lane.directory, sessionId, before, this.#options.clock.now());
  }

  async read(lane: Lane, sessionId: string, limit: number | null): Promise<TranscriptSlice> {
    return this.#sessions.slice(lane.directory, sessionId, limit, this.processOf(lane.id, sessionId));
  }

  override async submit(lane: Lane, prompt: Prompt, signal: AbortSignal): Promise<SubmitOutcome> {
    if (lane.agent !== null)
      return { outcome: "refused", reason: `pi has no agents, so it cannot use "${lane.agent}".` };
    return super.submit(lane, prompt, signal);
  }

  override notices(lane: Lane): readonly Notice[] {
    const client = lane.sessionId === null ? null : this.pool.clientOf(lane.id, lane.sessionId);
    const tools = client?.lacksTools ? [toolsUnavailable("pi could not reach their server.")] : [];
    return [...super.notices(lane), ...tools];
  }

  override async resync(lane: Lane, sessionId: string): Promise<void> {
    const slice = await this.read(lane, sessionId, null);
    this.signals.resync(lane.id, slice);
    // pi may have written nothing of a turn; then no row ends it. A turn that has already ended is not affected.
    const hasNoProcess = slice.status === "idle" && !this.pool.clientOf(lane.id, sessionId);
    if (hasNoProcess) this.signals.publish(lane.id, sessionId, { type: "died", synthetic: true });
  }

  /** Never keeps a process: without the daemon it would exit mid-turn. */
  override async close(): Promise<void> {
    await super.close({ keep: false });
  }

  protected launch(lane: Lane, sessionId: string, settings: LaunchSettings): Launch<RpcClient> {
    const { env, provider, model, apiKey, maxSteps } = this.#options;
    const sessionFile = this.#sessions.pathOf(lane.directory, sessionId);
    const rules = gateRules(lane.directory, settings, maxSteps);
    return {
      args: piArguments({ lane, sessionFile, provider, model, systemPrompt: settings.systemPrompt }),
      sessionArgs: [sessionFile],
      env: piEnvironment({ env, rules, provider, apiKey }),
      resumed: this.#sessions.exists(lane.directory, sessionId),
      createClient: (connection) => new RpcClient(connection),
      handshake: checkGate,
      switchSession: (client) => client.switchSession(sessionFile),
      translator: () => new PiTranslator(sessionId),
    };
  }

  protected beforeSend(lane: Lane, prompt: ReadPrompt, client: RpcClient): Promise<boolean> {
    const text = withTextFiles(prompt.text, prompt.files);
    return this.#sessions.prepareSend(lane.directory, { ...prompt, text }, client);
  }

  protected send(client: RpcClient, { text, files }: ReadPrompt): Promise<SubmitOutcome> {
    return client.prompt(withTextFiles(text, files), imagesIn(files));
  }
}

/** Without Waybill's extension pi would never ask a person, so such a process is not used. */
async function checkGate(client: RpcClient): Promise<void> {
  // Only the end of the process matters here, and the caller sees that itself.
  await client.request("get_state").catch(() => {});
  if (client.hasGate) return;
  throw new AppError({
    code: "pi_unusable",
    message: "pi did not load Waybill's extension, which asks before tools are used.",
    hint: "Compare `pi --version` with the version that docs/pi.md names.",
    retryable: true,
  });
}

function sessionUnknown(sessionId: string): AppError {
  return new AppError({
    code: "session_unknown",
    message: `pi has no session "${sessionId}".`,
    hint: "Run `pi --resume` in the lane's directory to list its sessions; the id is the end of a file's name.",
  });
}

function otherDirectory(lane: Lane, sessionId: string, directory: string): AppError {
  return new AppError({
    code: "session_other_directory",
    message: `Session "${sessionId}" works in ${directory}, but lane "${lane.id}" in ${lane.directory}.`,
    hint: "Name a session in the lane's directory, or a lane in the session's directory.",
  });
}
