/**
 * Claude Code as a runtime: a program for each lane that is at work, a session that goes on from program to program, and
 * prompts under our own ids. The program's word that it took a prompt is acceptance; the truth is the transcript that it
 * keeps, since what it prints is gone with a daemon that dies.
 */
import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { AppError, messageOf } from "../../app-error.ts";
import type { Lane, Notice } from "../../core/lane/lane.ts";
import type { RuntimeTraits, TranscriptSlice } from "../../core/transcript/transcript.ts";
import type { AskAnswer, ForkedSession, Hint, Prompt, Runtime, SignalListener, SubmitOutcome } from "../port.ts";
import type { LaneWorkOptions } from "../process-pool/process-runtime.ts";
import { LaneWork } from "../process-pool/process-runtime.ts";
import { usableSystemPrompt } from "../system-prompt.ts";
import { answerTo } from "./process/ask-answer.ts";
import type { ClaudePermissions } from "./process/claude-arguments.ts";
import { checkAgent, claudeArguments, fingerprintOf, firstRequest, promptText } from "./process/claude-arguments.ts";
import { claudeEnvironment } from "./process/claude-environment.ts";
import { claudeProgram } from "./process/claude-program.ts";
import { StdioClient } from "./process/stdio-client.ts";
import { Transcripts } from "./transcript/transcripts.ts";
import { LineTranslator } from "./translate/translate.ts";

export type ClaudeOptions = LaneWorkOptions & {
  permissions?: (lane: Lane) => Promise<ClaudePermissions>;
  systemPromptPath?: string;
  mcpConfigPath?: string;
};

export class ClaudeRuntime implements Runtime {
  readonly kind = "claude";
  readonly traits: RuntimeTraits = { takesIds: true, sendingAgain: "swallowed", attachments: false };
  readonly #options: ClaudeOptions;
  readonly #work: LaneWork<StdioClient>;
  readonly #transcripts: Transcripts;
  /** Those that somebody asked about, for what has to be told of them without being asked. */
  readonly #lanes = new Map<string, Lane>();

  constructor(options: ClaudeOptions) {
    const { clock, directory, env, onError } = options;
    this.#options = options;
    const configDirectory = env.CLAUDE_CONFIG_DIR ?? join(env.HOME ?? homedir(), ".claude");
    this.#transcripts = new Transcripts({ configDirectory, notes: join(directory, "prompted"), clock });
    this.#work = new LaneWork(claudeProgram, options, {
      translator: (resumed) => new LineTranslator({ resumed }),
      onGone: ({ laneId, sessionId }) => {
        const lane = this.#lanes.get(laneId);
        if (lane) void this.resync(lane, sessionId).catch(onError);
      },
    });
  }

  /** A prompt's id is a UUID, as all of the program's are. */
  idsFrom(digest: string) {
    const [a, b, c, d, e] = [
      digest.slice(0, 8),
      digest.slice(8, 12),
      digest.slice(13, 16),
      digest.slice(17, 20),
      digest.slice(20, 32),
    ];
    const messageId = `${a}-${b}-8${c}-8${d}-${e}`;
    return { messageId, partId: messageId };
  }

  async recover(): Promise<void> {
    await this.#work.left.find();
  }

  async health(_signal: AbortSignal, lanes: readonly Lane[]): Promise<string | null> {
    return this.#work.health(lanes);
  }

  notices({ id }: Lane): readonly Notice[] {
    return this.#work.programs.notices(id);
  }

  /** Nothing has to exist before the first prompt. */
  async openSession(): Promise<string> {
    return randomUUID();
  }

  laneRemoved(laneId: string): void {
    this.#lanes.delete(laneId);
    this.#work.programs.laneRemoved(laneId);
  }

  async fork(lane: Lane, { sessionId, before }: { sessionId: string; before: string | null }): Promise<ForkedSession> {
    return { sessionId: await this.#transcripts.fork(lane.directory, sessionId, before), renamed: new Map() };
  }

  async read(lane: Lane, sessionId: string, limit: number | null): Promise<TranscriptSlice> {
    this.#lanes.set(lane.id, lane);
    const conversation = this.#work.programs.of(lane.id, sessionId)?.conversation ?? null;
    const leftBehind = this.#work.left.has(sessionId);
    return this.#transcripts.slice(lane.directory, sessionId, limit, { conversation, leftBehind });
  }

  async submit(lane: Lane, { sessionId, messageId, text }: Prompt, signal: AbortSignal): Promise<SubmitOutcome> {
    const hindrance = await this.#work.hindrance(lane, sessionId);
    if (hindrance !== null) return { outcome: "not_sent", reason: hindrance };
    let talk: StdioClient;
    try {
      talk = await this.#ready(lane, sessionId);
      signal.throwIfAborted();
      this.#transcripts.notePrompted(sessionId);
    } catch (error) {
      const known = error instanceof AppError && error.code === "agent_unknown" && error.hint;
      if (known) return { outcome: "refused", reason: `${messageOf(error)} ${known}` };
      return { outcome: "not_sent", reason: messageOf(error) };
    }
    this.#work.signals.prompted(sessionId, messageId, text);
    const taken = await this.#work.admitted(talk.prompt(messageId, promptText(text)));
    if (taken === true) return { outcome: "accepted" };
    return { outcome: "unknown", reason: taken === null ? "prompt_not_taken_yet" : "program_ended" };
  }

  async abort(lane: Lane, sessionId: string): Promise<void> {
    const interrupt = (talk: StdioClient) => talk.request({ subtype: "interrupt" }).catch(() => null);
    await this.#work.stop(lane.id, sessionId, interrupt);
  }

  async answer(lane: Lane, askId: string, answer: AskAnswer): Promise<void> {
    const { talk, ask, sessionId } = this.#work.programs.asking(askId);
    this.#work.signals.answered(lane.id, sessionId, askId, answer);
    talk.answer(ask, answerTo(ask, answer));
  }

  onHint(listener: (hint: Hint) => void): () => void {
    return this.#work.onHint(listener);
  }

  onSignal(listener: SignalListener): () => void {
    return this.#work.signals.onSignal(listener);
  }

  async resync(lane: Lane, sessionId: string): Promise<void> {
    this.#work.signals.retold(lane.id, await this.read(lane, sessionId, null));
  }

  async close({ keep }: { keep: boolean } = { keep: false }): Promise<void> {
    await this.#work.close(keep);
  }

  async #ready(lane: Lane, sessionId: string): Promise<StdioClient> {
    const { env, permissions, systemPromptPath, mcpConfigPath = null } = this.#options;
    const systemPrompt = await usableSystemPrompt(systemPromptPath);
    const isKnown = this.#transcripts.isThere(lane.directory, sessionId);
    const args = claudeArguments({
      lane,
      sessionId,
      isKnown,
      permissions: permissions ? await permissions(lane) : null,
      systemPrompt,
      mcpConfigPath,
    });
    const path = this.#work.path();
    const environment = claudeEnvironment(env);
    const program = await this.#work.programs.ready({
      laneId: lane.id,
      sessionId,
      path,
      args,
      directory: lane.directory,
      env: environment,
      fingerprint: fingerprintOf([path, args, lane.directory, environment]),
      talk: ({ write, onRest }) => this.#talk(sessionId, write, onRest),
      greet: async (talk) => checkAgent(lane.agent, await talk.request(firstRequest)),
      onReady: () => this.#work.signals.started(lane.id, sessionId, isKnown),
      onLine: (line) => this.#work.signals.heard(lane.id, sessionId, line),
    });
    return program.conversation;
  }

  #talk(sessionId: string, write: (line: object) => void, onRest: () => void): StdioClient {
    return new StdioClient({
      sessionId,
      now: () => this.#options.clock.now(),
      write,
      onResult: (result) => {
        this.#transcripts.turnEnded(sessionId, result);
        onRest();
      },
      onChange: () => this.#work.tell(sessionId),
    });
  }
}
