/**
 * pi as a runtime: a program for each lane that is at work, a session file that goes on from program to program. pi
 * takes no ids, so prompts are known by their first words; and it does not outlive whoever talks to it, so a turn ends
 * with the daemon.
 */
import { randomUUID } from "node:crypto";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { AppError, messageOf } from "../../app-error.ts";
import type { Clock } from "../../clock.ts";
import type { Lane } from "../../delivery/lane.ts";
import { directoryTrouble } from "../lane-directory.ts";
import type { LaneProgram } from "../lane-programs/lane-program.ts";
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
import { findPi } from "./find-pi.ts";
import type { PiPermissions } from "./pi-arguments.ts";
import { gateRules, piArguments } from "./pi-arguments.ts";
import { piEnvironment } from "./pi-environment.ts";
import { PiTalk } from "./pi-talk.ts";
import { SessionNotes } from "./session-notes.ts";
import { sessionPlaces } from "./session-place.ts";
import { Sessions } from "./sessions.ts";
import { PiTranslator } from "./translate.ts";

export type PiOptions = {
  /** `piBin`: a path, or a name in PATH. */
  program: string;
  env: NodeJS.ProcessEnv;
  /** Where records of programs and notes on sessions are kept. */
  directory: string;
  clock: Clock;
  provider: string;
  model: string;
  apiKey: string | null;
  maxSteps: number;
  permissions?: (lane: Lane) => Promise<PiPermissions>;
  systemPromptPath?: string;
  /** When a program that rests is let go, and how many may rest at a time. */
  idleMs: number;
  mostResting: number;
  onTrouble: (error: unknown) => void;
  times?: Partial<typeof usualTimes>;
};

const usualTimes = { startMs: 30_000, endMs: 5000, admittedMs: 5000, firstWaitMs: 1000, longestWaitMs: 30_000 };
const kind = { name: "pi", code: "pi", setting: "piBin (PI_BIN)" };
/** A turn that was stopped and does not end within this is ended with its program. */
const interruptMs = 5000;

export class PiRuntime implements Runtime {
  readonly kind = "pi";
  // A known prompt is never sent again: pi would run it twice, and the second row could not be told from the first.
  readonly traits: RuntimeTraits = { takesIds: false, sendingAgain: "swallowed", attachments: false };
  readonly #options: PiOptions;
  readonly #times: typeof usualTimes;
  readonly #programs: LanePrograms<PiTalk>;
  readonly #left: LeftPrograms;
  readonly #notes: SessionNotes;
  readonly #sessions: Sessions;
  readonly #signals: SessionSignals;
  readonly #listeners = new Set<(hint: Hint) => void>();

  constructor(options: PiOptions) {
    const { clock, directory, env, idleMs, mostResting, onTrouble } = options;
    this.#options = options;
    this.#times = { ...usualTimes, ...options.times };
    this.#notes = new SessionNotes(join(directory, "sessions"));
    this.#sessions = new Sessions(sessionPlaces(env), this.#notes);
    this.#signals = new SessionSignals(clock, (_resumed, session) => new PiTranslator(session));
    const records = join(directory, "programs");
    const { endMs } = this.#times;
    this.#left = new LeftPrograms({
      ...{ records, clock, endMs, onTrouble },
      onGone: ({ sessionId }) => this.#tell(sessionId),
    });
    this.#programs = new LanePrograms({
      ...this.#times,
      ...{ kind, clock, records, idleMs, mostResting, onTrouble },
      onEnd: (laneId, sessionId, how, died) => {
        this.#signals.ended(laneId, sessionId, how, died);
        this.#tell(sessionId);
      },
    });
  }

  /** pi is not told them; they name an attempt in the ledger. */
  idsFrom(digest: string) {
    return { messageId: `pi_${digest.slice(0, 32)}`, partId: `pi_part_${digest.slice(0, 32)}` };
  }

  /** A program that lost us has lost its input, and with it its turn. What it leaves running is ended. */
  async recover(): Promise<void> {
    await this.#left.find();
    await this.#left.endAll();
  }

  async trouble(): Promise<string | null> {
    try {
      findPi(this.#options.program, this.#options.env);
    } catch (error) {
      return messageOf(error);
    }
    return this.#programs.trouble;
  }

  /** Nothing has to exist before the first prompt. */
  async openSession(): Promise<string> {
    return randomUUID();
  }

  async checkAdoption(lane: Lane, sessionId: string): Promise<void> {
    // It becomes part of a path.
    const isId = /^[\w-]+$/.test(sessionId);
    const directory = isId ? await this.#sessions.directoryOf(lane.directory, sessionId) : null;
    if (directory === null) throw sessionUnknown(sessionId);
    if (directory !== (await realpath(lane.directory))) throw sessionElsewhere(lane, sessionId, directory);
  }

  async fork(lane: Lane, { sessionId, before }: { sessionId: string; before: string | null }): Promise<ForkedSession> {
    return this.#sessions.fork(lane.directory, sessionId, before, this.#options.clock.now());
  }

  async read(lane: Lane, sessionId: string, limit: number | null): Promise<TranscriptSlice> {
    const talk = this.#programs.of(lane.id, sessionId)?.conversation ?? null;
    return this.#sessions.slice(lane.directory, sessionId, limit, { talk, leftBehind: this.#left.has(sessionId) });
  }

  async submit(lane: Lane, prompt: Prompt, signal: AbortSignal): Promise<SubmitOutcome> {
    const { sessionId, messageId, text } = prompt;
    if (lane.agent !== null) return { outcome: "refused", reason: `pi has no agents, and so no "${lane.agent}".` };
    if (this.#left.has(sessionId)) return { outcome: "not_sent", reason: "an_earlier_program_still_works" };
    // A start in it would fail as if the program were missing, and count against the program.
    const misplaced = await directoryTrouble(lane.directory);
    if (misplaced !== null) return { outcome: "not_sent", reason: misplaced };
    let talk: PiTalk;
    try {
      talk = (await this.#ready(lane, sessionId)).conversation;
      signal.throwIfAborted();
      if (await this.#sessions.hasArrived(lane.directory, sessionId, prompt, talk)) return { outcome: "accepted" };
      this.#notes.noteSent(sessionId, messageId);
    } catch (error) {
      return { outcome: "not_sent", reason: messageOf(error) };
    }
    const taken = await inTime(this.#options.clock, talk.prompt(text), this.#times.admittedMs);
    if (taken === null) return { outcome: "unknown", reason: "prompt_not_taken_yet" };
    if ("gone" in taken) return { outcome: "unknown", reason: "program_ended" };
    return taken.taken ? { outcome: "accepted" } : { outcome: "not_sent", reason: taken.reason };
  }

  /** The program is asked to stop; one that does not is ended, which stops everything. */
  async abort(lane: Lane, sessionId: string): Promise<void> {
    await this.#left.end(sessionId);
    const talk = this.#programs.of(lane.id, sessionId)?.conversation;
    if (!talk?.isWorking) return;
    this.#signals.stopped(lane.id, sessionId);
    talk.takeBackAsks();
    await inTime(this.#options.clock, talk.request({ type: "abort" }), interruptMs);
    await untilSo(
      this.#options.clock,
      (listener) => this.onHint(listener),
      () => !talk.isWorking,
      interruptMs,
    );
    if (talk.isWorking) await this.#programs.end(lane.id);
  }

  async answer(lane: Lane, askId: string, answer: AskAnswer): Promise<void> {
    const program = this.#programs.holding(askId);
    const ask = program?.conversation.asks.find(({ id }) => id === askId);
    if (!program || !ask) {
      throw new AppError({ code: "ask_unknown", message: `Nothing is asked under "${askId}" any more.` });
    }
    this.#signals.answered(lane.id, program.sessionId, askId, answer);
    program.conversation.answer(ask, answer);
  }

  onHint(listener: (hint: Hint) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onSignal(listener: SignalListener): () => void {
    return this.#signals.onSignal(listener);
  }

  async retell(lane: Lane, sessionId: string): Promise<void> {
    const slice = await this.read(lane, sessionId, null);
    this.#signals.retold(lane.id, slice);
    // A turn of which pi wrote nothing leaves nothing that could end it. One that is over has nothing more to end.
    const isAlone = slice.status === "idle" && !this.#programs.of(lane.id, sessionId);
    if (isAlone) this.#signals.say(lane.id, sessionId, { type: "died", synthetic: true });
  }

  laneRemoved(laneId: string): void {
    this.#programs.laneRemoved(laneId);
  }

  /** There is no program to keep: it would end in mid-turn when we go. */
  async close(): Promise<void> {
    await Promise.all([this.#left.close(false), this.#programs.close(false)]);
  }

  async #ready(lane: Lane, sessionId: string): Promise<LaneProgram<PiTalk>> {
    const { program, env, permissions, systemPromptPath, provider, model, apiKey, maxSteps } = this.#options;
    const system = await readSystemPrompt(systemPromptPath);
    if ("unusable" in system) throw new AppError({ code: "system_prompt_unusable", message: system.unusable });
    const path = findPi(program, env);
    const sessionFile = this.#sessions.pathOf(lane.directory, sessionId);
    const resumed = this.#sessions.isThere(lane.directory, sessionId);
    const args = piArguments({ lane, sessionFile, provider, model, systemPrompt: system.text });
    const rules = gateRules(lane.directory, permissions ? await permissions(lane) : null, maxSteps);
    const environment = piEnvironment({ env, rules, provider, apiKey });
    return this.#programs.ready({
      ...{ laneId: lane.id, sessionId, path, args, directory: lane.directory, env: environment },
      fingerprint: JSON.stringify([path, args.filter((arg) => arg !== sessionFile), lane.directory, environment]),
      talk: (line) =>
        new PiTalk({
          ...{ write: line.write, onRest: line.onRest },
          now: () => this.#options.clock.now(),
          onChange: () => this.#tell(line.sessionId()),
        }),
      greet,
      move: (talk) => talk.moveTo(sessionFile),
      onReady: () => this.#signals.started(lane.id, sessionId, resumed),
      onLine: (line) => this.#signals.heard(lane.id, sessionId, line),
    });
  }

  #tell(sessionId: string): void {
    for (const listener of this.#listeners) listener({ sessionId });
  }
}

/** Without Waybill's extension nothing would be asked, so a program without it is not used. */
async function greet(talk: PiTalk): Promise<void> {
  await talk.request({ type: "get_state" });
  if (talk.hasGate) return;
  throw new AppError({
    code: "pi_gate_missing",
    message: "pi did not load Waybill's extension, which asks before tools are used.",
    hint: "Compare `pi --version` with the version that docs/pi.md names.",
    retryable: true,
  });
}

function sessionUnknown(sessionId: string): AppError {
  return new AppError({
    code: "session_unknown",
    message: `pi has no session "${sessionId}".`,
    hint: "`pi --resume`, run in the lane's directory, shows those that are there; the id is the end of a file's name.",
  });
}

function sessionElsewhere(lane: Lane, sessionId: string, directory: string): AppError {
  return new AppError({
    code: "session_other_directory",
    message: `Session "${sessionId}" works in ${directory}, and lane "${lane.id}" in ${lane.directory}.`,
    hint: "Name a session of the lane's directory, or a lane of the session's.",
  });
}
