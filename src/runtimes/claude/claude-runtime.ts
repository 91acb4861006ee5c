/**
 * Claude Code as a runtime: a program for each lane that is at work, a session that goes on from program to program, and
 * prompts under our own ids. The program's word that it took a prompt is acceptance; the truth is the transcript that it
 * keeps, since what it prints is gone with a daemon that dies.
 */
import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { AppError, messageOf } from "../../app-error.ts";
import type { Clock } from "../../clock.ts";
import type { Lane } from "../../delivery/lane.ts";
import { directoryTrouble } from "../lane-directory.ts";
import { LanePrograms } from "../lane-programs/lane-programs.ts";
import { LeftPrograms } from "../lane-programs/left-programs.ts";
import { SessionSignals } from "../lane-programs/session-signals.ts";
import { inTime, untilSo } from "../lane-programs/waiting.ts";
import type {
  AskAnswer,
  ForkedSession,
  Hint,
  Prompt,
  Runtime,
  RuntimeTraits,
  SignalListener,
  SubmitOutcome,
  TranscriptSlice,
} from "../port.ts";
import { readSystemPrompt } from "../system-prompt.ts";
import { answerTo } from "./ask-answer.ts";
import type { ClaudePermissions } from "./claude-arguments.ts";
import { checkAgent, claudeArguments, fingerprintOf, firstRequest, promptText } from "./claude-arguments.ts";
import { claudeEnvironment } from "./claude-environment.ts";
import { Conversation } from "./conversation.ts";
import { findClaude } from "./find-claude.ts";
import { Transcripts } from "./transcripts.ts";
import { LineTranslator } from "./translate.ts";

export type ClaudeOptions = {
  /** `claudeBin`: a path, or a name in PATH. */
  program: string;
  env: NodeJS.ProcessEnv;
  /** Where records of programs are kept. */
  directory: string;
  clock: Clock;
  permissions?: (lane: Lane) => Promise<ClaudePermissions>;
  systemPromptPath?: string;
  mcpConfigPath?: string;
  /** When a program that rests is let go, and how many may rest at a time. */
  idleMs: number;
  mostResting: number;
  onTrouble: (error: unknown) => void;
  times?: { startMs: number; endMs: number; admittedMs: number; firstWaitMs: number; longestWaitMs: number };
};

const usualTimes = { startMs: 30_000, endMs: 5000, admittedMs: 5000, firstWaitMs: 1000, longestWaitMs: 30_000 };
const kind = { name: "Claude Code", code: "claude", setting: "claudeBin (CLAUDE_BIN)" };
/** A turn that was interrupted and does not end within this is ended with its program. */
const interruptMs = 5000;

export class ClaudeRuntime implements Runtime {
  readonly kind = "claude";
  readonly traits: RuntimeTraits = { takesIds: true, sendingAgain: "swallowed", attachments: false };
  readonly #options: ClaudeOptions;
  readonly #programs: LanePrograms<Conversation>;
  readonly #left: LeftPrograms;
  readonly #transcripts: Transcripts;
  readonly #listeners = new Set<(hint: Hint) => void>();
  readonly #signals: SessionSignals;
  /** Those that somebody asked about, for what has to be told of them without being asked. */
  readonly #lanes = new Map<string, Lane>();

  constructor(options: ClaudeOptions) {
    const { clock, directory, env, idleMs, mostResting, onTrouble } = options;
    this.#options = options;
    this.#signals = new SessionSignals(clock, (resumed) => new LineTranslator({ resumed }));
    const times = { ...usualTimes, ...options.times };
    const records = join(directory, "programs");
    const configDirectory = env.CLAUDE_CONFIG_DIR ?? join(env.HOME ?? homedir(), ".claude");
    this.#transcripts = new Transcripts({ configDirectory, notes: join(directory, "prompted"), clock });
    this.#left = new LeftPrograms({
      records,
      clock,
      endMs: times.endMs,
      onGone: ({ laneId, sessionId }) => {
        const lane = this.#lanes.get(laneId);
        if (lane) void this.retell(lane, sessionId).catch(onTrouble);
        this.#tell(sessionId);
      },
      onTrouble,
    });
    this.#programs = new LanePrograms({
      ...times,
      kind,
      clock,
      records,
      idleMs,
      mostResting,
      onEnd: (laneId, sessionId, how, died) => {
        this.#signals.ended(laneId, sessionId, how, died);
        this.#tell(sessionId);
      },
      onTrouble,
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
    await this.#left.find();
  }

  async trouble(): Promise<string | null> {
    try {
      findClaude(this.#options.program, this.#options.env);
    } catch (error) {
      return messageOf(error);
    }
    return this.#programs.trouble;
  }

  /** Nothing has to exist before the first prompt. */
  async openSession(): Promise<string> {
    return randomUUID();
  }

  laneRemoved(laneId: string): void {
    this.#lanes.delete(laneId);
    this.#programs.laneRemoved(laneId);
  }

  async fork(lane: Lane, { sessionId, before }: { sessionId: string; before: string | null }): Promise<ForkedSession> {
    return { sessionId: await this.#transcripts.fork(lane.directory, sessionId, before), renamed: new Map() };
  }

  async read(lane: Lane, sessionId: string, limit: number | null): Promise<TranscriptSlice> {
    this.#lanes.set(lane.id, lane);
    const conversation = this.#programs.of(lane.id, sessionId)?.conversation ?? null;
    const leftBehind = this.#left.has(sessionId);
    return this.#transcripts.slice(lane.directory, sessionId, limit, { conversation, leftBehind });
  }

  async submit(lane: Lane, { sessionId, messageId, text }: Prompt, signal: AbortSignal): Promise<SubmitOutcome> {
    if (this.#left.has(sessionId)) return { outcome: "not_sent", reason: "an_earlier_program_still_works" };
    // A start in it would fail as if the program were missing, and count against the program.
    const misplaced = await directoryTrouble(lane.directory);
    if (misplaced !== null) return { outcome: "not_sent", reason: misplaced };
    let program: Awaited<ReturnType<LanePrograms<Conversation>["ready"]>>;
    try {
      program = await this.#ready(lane, sessionId);
      signal.throwIfAborted();
      this.#transcripts.notePrompted(sessionId);
    } catch (error) {
      const known = error instanceof AppError && error.code === "agent_unknown" && error.hint;
      if (known) return { outcome: "refused", reason: `${messageOf(error)} ${known}` };
      return { outcome: "not_sent", reason: messageOf(error) };
    }
    const { admittedMs } = { ...usualTimes, ...this.#options.times };
    this.#signals.prompted(sessionId, messageId, text);
    const taken = await inTime(
      this.#options.clock,
      program.conversation.prompt(messageId, promptText(text)),
      admittedMs,
    );
    if (taken === true) return { outcome: "accepted" };
    return { outcome: "unknown", reason: taken === null ? "prompt_not_taken_yet" : "program_ended" };
  }

  /** The program is asked to stop; one that does not is ended, which stops everything. */
  async abort(lane: Lane, sessionId: string): Promise<void> {
    await this.#left.end(sessionId);
    const program = this.#programs.of(lane.id, sessionId);
    if (!program?.conversation.isWorking) return;
    this.#signals.stopped(lane.id, sessionId);
    await inTime(
      this.#options.clock,
      program.conversation.request({ subtype: "interrupt" }).catch(() => null),
      interruptMs,
    );
    await untilSo(
      this.#options.clock,
      (listener) => this.onHint(listener),
      () => !program.conversation.isWorking,
      interruptMs,
    );
    if (program.conversation.isWorking) await this.#programs.end(lane.id);
  }

  async answer(lane: Lane, askId: string, answer: AskAnswer): Promise<void> {
    const program = this.#programs.holding(askId);
    const ask = program?.conversation.asks.find(({ id }) => id === askId);
    if (!program || !ask) {
      throw new AppError({ code: "ask_unknown", message: `Nothing is asked under "${askId}" any more.` });
    }
    this.#signals.answered(lane.id, ask.sessionId, askId, answer);
    program.conversation.answer(ask, answerTo(ask, answer));
  }

  onHint(listener: (hint: Hint) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onSignal(listener: SignalListener): () => void {
    return this.#signals.onSignal(listener);
  }

  async retell(lane: Lane, sessionId: string): Promise<void> {
    this.#signals.retold(lane.id, await this.read(lane, sessionId, null));
  }

  async close({ keep }: { keep: boolean } = { keep: false }): Promise<void> {
    await Promise.all([this.#left.close(keep), this.#programs.close(keep)]);
  }

  async #ready(lane: Lane, sessionId: string) {
    const { program, env, permissions, systemPromptPath, mcpConfigPath = null } = this.#options;
    const system = await readSystemPrompt(systemPromptPath);
    if ("unusable" in system) throw new AppError({ code: "system_prompt_unusable", message: system.unusable });
    const isKnown = this.#transcripts.isThere(lane.directory, sessionId);
    const args = claudeArguments({
      lane,
      sessionId,
      isKnown,
      permissions: permissions ? await permissions(lane) : null,
      systemPrompt: system.text,
      mcpConfigPath,
    });
    const path = findClaude(program, env);
    const environment = claudeEnvironment(env);
    return this.#programs.ready({
      laneId: lane.id,
      sessionId,
      path,
      args,
      directory: lane.directory,
      env: environment,
      fingerprint: fingerprintOf([path, args, lane.directory, environment]),
      talk: ({ write, onRest }) => this.#talk(sessionId, write, onRest),
      greet: async (talk) => checkAgent(lane.agent, await talk.request(firstRequest)),
      onReady: () => this.#signals.started(lane.id, sessionId, isKnown),
      onLine: (line) => this.#signals.heard(lane.id, sessionId, line),
    });
  }

  #talk(sessionId: string, write: (line: object) => void, onRest: () => void): Conversation {
    return new Conversation({
      sessionId,
      now: () => this.#options.clock.now(),
      write,
      onResult: (result) => {
        this.#transcripts.turnEnded(sessionId, result);
        onRest();
      },
      onChange: () => this.#tell(sessionId),
    });
  }

  #tell(sessionId: string): void {
    for (const listener of this.#listeners) listener({ sessionId });
  }
}
