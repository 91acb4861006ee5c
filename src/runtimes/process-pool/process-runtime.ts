/**
 * The base class of runtimes that run one agent process per lane and read its transcript file. It has the process pool,
 * the processes that an earlier run left running, and the signals of their sessions.
 */
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import type { Lane, Notice } from "../../core/lane/lane.ts";
import type { RuntimeIds, RuntimeTraits, TranscriptSlice } from "../../core/transcript/transcript.ts";
import { AppError, messageOf } from "../../platform/app-error.ts";
import type { Clock, TimeoutContext } from "../../platform/clock.ts";
import { abortedAfter, TimedOut, withTimeout } from "../../platform/clock.ts";
import type { RuntimeContext, RuntimeIdentity } from "../descriptor.ts";
import type { AgentPermissions } from "../lane-directories.ts";
import { directoryProblem } from "../lane-directories.ts";
import type { FileContent } from "../model-files.ts";
import { readFiles } from "../model-files.ts";
import type { AskAnswer, Hint, Prompt, RunningProgram, Runtime, SignalListener, SubmitOutcome } from "../port.ts";
import { usableSystemPrompt, withPromptSystem } from "../system-prompt.ts";
import type { ToolsFile } from "../tool-servers.ts";
import {
  findToolServer,
  removeToolsFile,
  serverNotStarted,
  toolsFile,
  toolsFileHash,
  toolsFilesIn,
  toolsUnavailable,
  writeToolsFile,
} from "../tool-servers.ts";
import type { AgentClient, ProcessSpec } from "./agent-process.ts";
import { AgentProcessPool } from "./agent-process-pool.ts";
import type { AgentProgram } from "./find-agent.ts";
import { requireAgent } from "./find-agent.ts";
import { OrphanedProcesses } from "./orphaned-processes.ts";
import type { ProcessRecord } from "./process-record.ts";
import { recordsIn } from "./process-record.ts";
import type { LineTranslator } from "./signal-publisher.ts";
import { SignalPublisher } from "./signal-publisher.ts";
import type { SessionProcess } from "./transcript-slice.ts";

export type ProcessRuntimeOptions = {
  agent: RuntimeIdentity & { program: AgentProgram };
  /** The configured path, or a name in PATH. */
  program: string;
  env: NodeJS.ProcessEnv;
  /** For the records of processes and the runtime's own files. */
  directory: string;
  clock: Clock;
  /** After how long an idle process is ended, and how many may be idle at a time. */
  idleMs: number;
  maxResting: number;
  permissions?: (lane: Lane) => Promise<AgentPermissions>;
  systemPromptPath?: string;
  /** Gives the agents Waybill's own tools; without this they get none. */
  toolServer?: RuntimeContext["toolServer"];
  onError: (error: unknown) => void;
  times?: Partial<typeof defaultTimes>;
};

const defaultTimes = { startMs: 30_000, endMs: 5000, admittedMs: 5000, firstWaitMs: 1000, longestWaitMs: 30_000 };
/** If a turn does not end this soon after an interrupt, its process is ended. */
const interruptMs = 5000;
const interruptAgainMs = 250;

export type LaunchSettings = {
  systemPrompt: string | null;
  permissions: AgentPermissions | null;
  /** The file that names Waybill's own tools. It exists by the time the program starts. */
  toolsPath: string | null;
};

/** A prompt with the content of its files. */
export type ReadPrompt = Prompt & { files: readonly FileContent[] };

/** How a runtime starts its program for a session. */
export type Launch<C extends AgentClient> = Pick<
  ProcessSpec<C>,
  "args" | "env" | "createClient" | "handshake" | "switchSession"
> & {
  /** The part of `args` that only names the session. */
  sessionArgs: readonly string[];
  /** Whether the program already has the session. */
  resumed: boolean;
  translator: () => LineTranslator;
};

export abstract class ProcessRuntime<C extends AgentClient> implements Runtime {
  readonly kind: string;
  readonly traits: RuntimeTraits;
  readonly idsFrom: (digest: string) => RuntimeIds;
  protected readonly pool: AgentProcessPool<C>;
  protected readonly orphans: OrphanedProcesses;
  protected readonly signals: SignalPublisher;
  readonly #options: ProcessRuntimeOptions;
  readonly #admittedMs: number;
  readonly #timeout: TimeoutContext;
  readonly #hintListeners = new Set<(hint: Hint) => void>();
  readonly #lanesWithoutTools = new Set<string>();

  constructor(options: ProcessRuntimeOptions) {
    const { agent, clock, directory, idleMs, maxResting, onError } = options;
    const times = { ...defaultTimes, ...options.times };
    const shared = { records: recordsIn(directory), clock, onError, ...times };
    this.kind = agent.kind;
    this.traits = agent.traits;
    this.idsFrom = agent.idsFrom;
    this.#options = options;
    this.#admittedMs = times.admittedMs;
    this.#timeout = { clock, closing: new AbortController().signal };
    this.signals = new SignalPublisher(clock);
    this.orphans = new OrphanedProcesses({ ...shared, onEnd: (record) => this.orphanEnded(record) });
    this.pool = new AgentProcessPool({
      ...shared,
      ...{ kind: agent.program, idleMs, maxResting },
      onChange: (sessionId) => this.#publishHint(sessionId),
      onEnd: (laneId, sessionId, reason, died) => {
        this.signals.sessionEnded(laneId, sessionId, reason, died);
        this.#publishHint(sessionId);
      },
    });
  }

  abstract read(lane: Lane, sessionId: string, limit: number | null): Promise<TranscriptSlice>;
  protected abstract launch(lane: Lane, sessionId: string, settings: LaunchSettings): Promise<Launch<C>> | Launch<C>;
  /** Runs before a prompt is sent. True if the session already has the prompt. */
  protected abstract beforeSend(lane: Lane, prompt: ReadPrompt, client: C): Promise<boolean> | boolean;
  protected abstract send(client: C, prompt: ReadPrompt): Promise<SubmitOutcome>;

  async recover(): Promise<void> {
    // Programs that are still running have already read their files.
    rmSync(toolsFilesIn(this.#options.directory), { recursive: true, force: true });
    await this.orphans.load();
  }

  async health(_signal: AbortSignal, lanes: readonly Lane[]): Promise<string | null> {
    try {
      this.#programPath();
    } catch (error) {
      return messageOf(error);
    }
    return this.pool.health(lanes);
  }

  notices({ id }: Lane): readonly Notice[] {
    const tools = this.#lanesWithoutTools.has(id) ? [toolsUnavailable(serverNotStarted)] : [];
    return [...this.pool.notices(id), ...tools];
  }

  programs(): readonly RunningProgram[] {
    return [...this.pool.programs(), ...this.orphans.programs()];
  }

  /** Nothing has to exist before the first prompt. */
  async openSession(): Promise<string> {
    return randomUUID();
  }

  laneRemoved(laneId: string): void {
    this.#lanesWithoutTools.delete(laneId);
    this.#removeToolsFile(laneId);
    this.pool.laneRemoved(laneId);
  }

  async submit(lane: Lane, prompt: Prompt, signal: AbortSignal): Promise<SubmitOutcome> {
    const { sessionId } = prompt;
    const reason = await this.#blockedReason(lane, sessionId);
    if (reason !== null) return { outcome: "not_sent", reason };
    let client: C;
    let read: ReadPrompt;
    try {
      read = { ...prompt, files: await readFiles(prompt.attachments) };
      client = await this.#acquire(lane, prompt);
      signal.throwIfAborted();
      if (await this.beforeSend(lane, read, client)) return { outcome: "accepted" };
    } catch (error) {
      const isUnknownAgent = error instanceof AppError && error.code === "agent_unknown";
      if (isUnknownAgent && error.hint) return { outcome: "refused", reason: `${error.message} ${error.hint}` };
      return { outcome: "not_sent", reason: messageOf(error) };
    }
    try {
      return await withTimeout(this.#timeout, this.#admittedMs, () => this.send(client, read));
    } catch (error) {
      if (error instanceof TimedOut) return { outcome: "unknown", reason: "prompt_not_taken_yet" };
      throw error;
    }
  }

  /** Asks the program to stop. If it does not, ends its process, which stops everything. */
  async abort(lane: Lane, sessionId: string): Promise<void> {
    await this.orphans.end(sessionId);
    const client = this.pool.clientOf(lane.id, sessionId);
    if (!client?.isWorking) return;
    const publishStop = () => this.signals.translated(lane.id, sessionId, (translator) => translator.interrupted());
    publishStop();
    await this.#withinInterruptTime((signal) => this.#interrupt(client, signal));
    if (!client.isWorking) return;
    // The turn may have begun only after the first signal.
    publishStop();
    await this.pool.end(lane.id);
  }

  async answer(lane: Lane, askId: string, answer: AskAnswer): Promise<void> {
    const { client, sessionId } = this.pool.withAsk(askId);
    this.signals.translated(lane.id, sessionId, (translator) => translator.askAnswered(askId, answer));
    client.answer(askId, answer);
  }

  onHint(listener: (hint: Hint) => void): () => void {
    this.#hintListeners.add(listener);
    return () => this.#hintListeners.delete(listener);
  }

  onSignal(listener: SignalListener): () => void {
    return this.signals.onSignal(listener);
  }

  async resync(lane: Lane, sessionId: string): Promise<void> {
    this.signals.resync(lane.id, await this.read(lane, sessionId, null));
  }

  async close({ keep }: { keep: boolean } = { keep: false }): Promise<void> {
    await Promise.all([this.orphans.close(keep), this.pool.close(keep)]);
  }

  protected orphanEnded({ sessionId }: ProcessRecord): void {
    this.#publishHint(sessionId);
  }

  protected processOf(laneId: string, sessionId: string): SessionProcess<C> {
    return { client: this.pool.clientOf(laneId, sessionId), isOrphaned: this.orphans.has(sessionId) };
  }

  #publishHint(sessionId: string): void {
    for (const listener of this.#hintListeners) listener({ sessionId });
  }

  /** Throws an `AppError` if the program is missing. */
  #programPath(): string {
    const { agent, program, env } = this.#options;
    return requireAgent(agent.program, program, env);
  }

  /** Why nothing can be sent to a session right now. */
  async #blockedReason({ directory }: Lane, sessionId: string): Promise<string | null> {
    if (this.orphans.has(sessionId)) return "an_earlier_program_still_works";
    // In a missing directory the start would fail as if the program were missing, and count as its failure.
    return directoryProblem(directory);
  }

  async #acquire(lane: Lane, { sessionId, system }: Prompt): Promise<C> {
    const { permissions, systemPromptPath } = this.#options;
    const { id: laneId, directory } = lane;
    // If this differs from the running program's, a new process is started.
    const systemPrompt = withPromptSystem(await usableSystemPrompt(systemPromptPath), system);
    const tools = await this.#toolsFile(laneId);
    const toolsPath = tools?.path ?? null;
    const settings = { systemPrompt, permissions: permissions ? await permissions(lane) : null, toolsPath };
    const { sessionArgs, resumed, translator, ...launch } = await this.launch(lane, sessionId, settings);
    const path = this.#programPath();
    const lastingArgs = launch.args.filter((arg) => !sessionArgs.includes(arg));
    const { client } = await this.pool.acquire({
      ...{ ...launch, laneId, sessionId, path, directory },
      fingerprint: JSON.stringify([path, lastingArgs, directory, launch.env, tools && toolsFileHash(tools)]),
      ...(tools ? { onStarting: () => writeToolsFile(tools), onEnded: () => this.#removeToolsFile(laneId) } : {}),
      onReady: () => this.signals.sessionStarted(laneId, sessionId, resumed, translator()),
      onLine: (text, line) => this.signals.translated(laneId, sessionId, (current) => current.translate(text, line)),
    });
    return client;
  }

  /** While the tool server is unknown, the program starts without the tools. */
  async #toolsFile(laneId: string): Promise<ToolsFile | null> {
    const { clock, directory, onError, toolServer } = this.#options;
    const server = toolServer ? await findToolServer(laneId, { clock, toolServer, onError }) : null;
    if (server !== "unknown") this.#lanesWithoutTools.delete(laneId);
    else this.#lanesWithoutTools.add(laneId);
    return server === null || server === "unknown" ? null : toolsFile(directory, laneId, server);
  }

  #removeToolsFile(laneId: string): void {
    removeToolsFile(this.#options.directory, laneId);
  }

  #withinInterruptTime(call: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
    return withTimeout(this.#timeout, interruptMs, call).catch(() => {});
  }

  /** An interrupt between a prompt and its turn has no effect, so it is repeated while the program works. */
  async #interrupt(client: C, signal: AbortSignal): Promise<void> {
    while (client.isWorking && !signal.aborted) {
      await client.interrupt();
      await this.#untilIdle(client, abortedAfter(interruptAgainMs, signal));
    }
  }

  #untilIdle(client: C, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (client.isWorking && !signal.aborted) return;
        unsubscribe();
        resolve();
      };
      const unsubscribe = this.onHint(check);
      signal.addEventListener("abort", check, { once: true });
      check();
    });
  }
}
