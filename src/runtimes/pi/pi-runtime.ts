/**
 * pi as a runtime: a program for each lane that is at work, a session file that goes on from program to program. pi
 * takes no ids, so prompts are known by their first words; and it does not outlive whoever talks to it, so a turn ends
 * with the daemon.
 */
import { randomUUID } from "node:crypto";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { AppError, messageOf } from "../../app-error.ts";
import type { Lane, Notice } from "../../core/lane/lane.ts";
import type { RuntimeTraits, TranscriptSlice } from "../../core/transcript/transcript.ts";
import type { AskAnswer, ForkedSession, Hint, Prompt, Runtime, SignalListener, SubmitOutcome } from "../port.ts";
import type { LaneWorkOptions } from "../process-pool/process-runtime.ts";
import { LaneWork } from "../process-pool/process-runtime.ts";
import { SessionNotes } from "../process-pool/session-markers.ts";
import { usableSystemPrompt } from "../system-prompt.ts";
import type { PiPermissions } from "./process/pi-arguments.ts";
import { gateRules, piArguments } from "./process/pi-arguments.ts";
import { piEnvironment } from "./process/pi-environment.ts";
import { piProgram } from "./process/pi-program.ts";
import { RpcClient } from "./process/rpc-client.ts";
import { sessionFolders } from "./session/session-file.ts";
import { Sessions } from "./session/sessions.ts";
import { PiTranslator } from "./translate/translate.ts";

export type PiOptions = LaneWorkOptions & {
  provider: string;
  model: string;
  apiKey: string | null;
  maxSteps: number;
  permissions?: (lane: Lane) => Promise<PiPermissions>;
  systemPromptPath?: string;
};

export class PiRuntime implements Runtime {
  readonly kind = "pi";
  // A known prompt is never sent again: pi would run it twice, and the second row could not be told from the first.
  readonly traits: RuntimeTraits = { takesIds: false, sendingAgain: "swallowed", attachments: false };
  readonly #options: PiOptions;
  readonly #work: LaneWork<RpcClient>;
  readonly #notes: SessionNotes;
  readonly #sessions: Sessions;

  constructor(options: PiOptions) {
    this.#options = options;
    this.#notes = new SessionNotes(join(options.directory, "sessions"));
    this.#sessions = new Sessions(sessionFolders(options.env), this.#notes);
    this.#work = new LaneWork(piProgram, options, { translator: (_resumed, session) => new PiTranslator(session) });
  }

  /** pi is not told them; they name an attempt in the ledger. */
  idsFrom(digest: string) {
    return { messageId: `pi_${digest.slice(0, 32)}`, partId: `pi_part_${digest.slice(0, 32)}` };
  }

  /** A program that lost us has lost its input, and with it its turn. What it leaves running is ended. */
  async recover(): Promise<void> {
    await this.#work.left.find();
    await this.#work.left.endAll();
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
    const talk = this.#work.programs.of(lane.id, sessionId)?.conversation ?? null;
    const leftBehind = this.#work.left.has(sessionId);
    return this.#sessions.slice(lane.directory, sessionId, limit, { talk, leftBehind });
  }

  async submit(lane: Lane, prompt: Prompt, signal: AbortSignal): Promise<SubmitOutcome> {
    const { sessionId, messageId, text } = prompt;
    if (lane.agent !== null) return { outcome: "refused", reason: `pi has no agents, and so no "${lane.agent}".` };
    const hindrance = await this.#work.hindrance(lane, sessionId);
    if (hindrance !== null) return { outcome: "not_sent", reason: hindrance };
    let talk: RpcClient;
    try {
      talk = await this.#ready(lane, sessionId);
      signal.throwIfAborted();
      if (await this.#sessions.hasArrived(lane.directory, sessionId, prompt, talk)) return { outcome: "accepted" };
      this.#notes.noteSent(sessionId, messageId);
    } catch (error) {
      return { outcome: "not_sent", reason: messageOf(error) };
    }
    const taken = await this.#work.admitted(talk.prompt(text));
    if (taken === null) return { outcome: "unknown", reason: "prompt_not_taken_yet" };
    if ("gone" in taken) return { outcome: "unknown", reason: "program_ended" };
    return taken.taken ? { outcome: "accepted" } : { outcome: "not_sent", reason: taken.reason };
  }

  async abort(lane: Lane, sessionId: string): Promise<void> {
    await this.#work.stop(lane.id, sessionId, (talk) => {
      talk.takeBackAsks();
      return talk.request({ type: "abort" });
    });
  }

  async answer(lane: Lane, askId: string, answer: AskAnswer): Promise<void> {
    const { talk, ask, sessionId } = this.#work.programs.asking(askId);
    this.#work.signals.answered(lane.id, sessionId, askId, answer);
    talk.answer(ask, answer);
  }

  onHint(listener: (hint: Hint) => void): () => void {
    return this.#work.onHint(listener);
  }

  onSignal(listener: SignalListener): () => void {
    return this.#work.signals.onSignal(listener);
  }

  async resync(lane: Lane, sessionId: string): Promise<void> {
    const slice = await this.read(lane, sessionId, null);
    this.#work.signals.retold(lane.id, slice);
    // A turn of which pi wrote nothing leaves nothing that could end it. One that is over has nothing more to end.
    const isAlone = slice.status === "idle" && !this.#work.programs.of(lane.id, sessionId);
    if (isAlone) this.#work.signals.say(lane.id, sessionId, { type: "died", synthetic: true });
  }

  laneRemoved(laneId: string): void {
    this.#work.programs.laneRemoved(laneId);
  }

  /** There is no program to keep: it would end in mid-turn when we go. */
  async close(): Promise<void> {
    await this.#work.close(false);
  }

  async #ready(lane: Lane, sessionId: string): Promise<RpcClient> {
    const { env, permissions, systemPromptPath, provider, model, apiKey, maxSteps } = this.#options;
    const systemPrompt = await usableSystemPrompt(systemPromptPath);
    const path = this.#work.path();
    const sessionFile = this.#sessions.pathOf(lane.directory, sessionId);
    const resumed = this.#sessions.isThere(lane.directory, sessionId);
    const args = piArguments({ lane, sessionFile, provider, model, systemPrompt });
    const rules = gateRules(lane.directory, permissions ? await permissions(lane) : null, maxSteps);
    const environment = piEnvironment({ env, rules, provider, apiKey });
    const program = await this.#work.programs.ready({
      ...{ laneId: lane.id, sessionId, path, args, directory: lane.directory, env: environment },
      fingerprint: JSON.stringify([path, args.filter((arg) => arg !== sessionFile), lane.directory, environment]),
      talk: (line) =>
        new RpcClient({
          ...{ write: line.write, onRest: line.onRest },
          now: () => this.#options.clock.now(),
          onChange: () => this.#work.tell(line.sessionId()),
        }),
      greet,
      move: (talk) => talk.moveTo(sessionFile),
      onReady: () => this.#work.signals.started(lane.id, sessionId, resumed),
      onLine: (line) => this.#work.signals.heard(lane.id, sessionId, line),
    });
    return program.conversation;
  }
}

/** Without Waybill's extension nothing would be asked, so a program without it is not used. */
async function greet(talk: RpcClient): Promise<void> {
  await talk.request({ type: "get_state" });
  if (talk.hasGate) return;
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
