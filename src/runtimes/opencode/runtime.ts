/**
 * The runtime for OpenCode: one server for all lanes, a session for each, and prompts with ids that Waybill chooses.
 * The server's answer to a prompt proves nothing: a prompt counts as accepted when its message is stored, and the
 * transcript shows what follows.
 */

import { latest } from "../../core/delivery/attempt.ts";
import type { Lane, Notice } from "../../core/lane/lane.ts";
import type { RuntimeTraits, TranscriptSlice } from "../../core/transcript/transcript.ts";
import { AppError, messageOf } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { RuntimeContext, RuntimeIdentity } from "../descriptor.ts";
import { directoryProblem } from "../lane-directories.ts";
import type {
  AgentChoice,
  AskAnswer,
  Hint,
  Prompt,
  RunningProgram,
  Runtime,
  SignalListener,
  SubmitOutcome,
} from "../port.ts";
import { readSystemPrompt, withPromptSystem } from "../system-prompt.ts";
import { qualifiedModelName, selectAgent } from "./arguments.ts";
import type { AskContext } from "./asks.ts";
import {
  allowsDenied,
  answerAsk,
  askAnswerError,
  asksFrom,
  isPermission,
  listPermissions,
  mayMissAsk,
  noRequests,
  readPendingRequests,
} from "./asks.ts";
import { isNotFound, OpencodeApi } from "./client/api.ts";
import { SessionRegistry } from "./client/session-registry.ts";
import { LaneTools } from "./permissions/lane-tools.ts";
import type { PermissionSource, PermissionsOf } from "./permissions/session-permissions.ts";
import { laneRules, updateSessionRules } from "./permissions/session-permissions.ts";
import type { PromptSettings } from "./prompt.ts";
import { sendPrompt } from "./prompt.ts";
import type { ServerSupervisor } from "./server/server-supervisor.ts";
import { checkAdoption, forkSession } from "./session/adopt-and-fork.ts";
import { SessionMonitor, withErrorRow } from "./session/session-monitor.ts";
import { readSessionRows } from "./transcript/read-session-rows.ts";
import { lastActivity, transcriptRows } from "./transcript/rows.ts";
import { SubtaskUsage } from "./transcript/subtask-usage.ts";

export type OpencodeOptions = {
  identity: RuntimeIdentity;
  supervisor: ServerSupervisor;
  clock: Clock;
  /** Without this, the server's own configuration decides what tools may do. */
  permissions?: PermissionsOf;
  /** Gives the agents Waybill's own tools; without this they get none. */
  toolServer?: RuntimeContext["toolServer"];
  onError: (error: unknown) => void;
  /** A file with text that the agents get in addition to their own instructions. */
  systemPromptPath?: string;
  /** False if no lane needs the server yet; then the first session starts it. */
  startAtOnce?: boolean;
  /** How long the event stream may be silent before it is replaced. */
  silenceMs?: number;
};

export class OpencodeRuntime implements Runtime {
  readonly kind: string;
  readonly traits: RuntimeTraits;
  readonly idsFrom: RuntimeIdentity["idsFrom"];
  readonly #options: OpencodeOptions;
  readonly #api: OpencodeApi;
  readonly #registry: SessionRegistry;
  readonly #askContext: AskContext;
  readonly #monitor: SessionMonitor;
  readonly #subtasks: SubtaskUsage;
  readonly #tools: LaneTools;

  constructor(options: OpencodeOptions) {
    const { identity, supervisor, clock, onError, silenceMs, toolServer = async () => null } = options;
    this.kind = identity.kind;
    this.traits = identity.traits;
    this.idsFrom = identity.idsFrom;
    this.#options = options;
    this.#api = new OpencodeApi(
      () => supervisor.address(),
      () => void supervisor.checkHealth(),
    );
    this.#registry = new SessionRegistry(this.#api);
    this.#askContext = { api: this.#api, registry: this.#registry, receivedPermissions: new Map() };
    this.#subtasks = new SubtaskUsage(this.#api, onError);
    this.#tools = new LaneTools({ api: this.#api, clock, toolServer, onError });
    this.#monitor = new SessionMonitor({
      ...this.#askContext,
      clock,
      onReload: (directory) => this.#tools.forget(directory),
      ...(silenceMs === undefined ? {} : { silenceMs }),
      onError,
      onStreamError: (error) => {
        // Without a server there can be no events, and the supervisor already knows.
        if (!supervisor.address()) return;
        onError(error);
        void supervisor.checkHealth();
      },
    });
    let isOurs = false;
    supervisor.onChange((address) => {
      // An attached server may still be running; it is read when it answers again.
      this.#tools.forget(null);
      this.#monitor.serverChanged(address ? "available" : isOurs ? "died" : "lost");
      isOurs = address?.startedByUs === true;
    });
  }

  /** Adopts or ends a server left over from an earlier run. If a server does not start, retries in the background. */
  async recover(stopping?: AbortSignal): Promise<void> {
    const { supervisor, startAtOnce, onError } = this.#options;
    if (startAtOnce === false) return;
    const stop = () => void supervisor.close();
    stopping?.addEventListener("abort", stop, { once: true });
    try {
      await supervisor.start();
    } catch (error) {
      if (!stopping?.aborted) onError(error);
    } finally {
      stopping?.removeEventListener("abort", stop);
    }
  }

  async health(): Promise<string | null> {
    return this.#options.supervisor.health();
  }

  /** Without a server there are no notices, since `health` already reports it. */
  notices({ id, sessionId }: Lane): readonly Notice[] {
    if (!this.#options.supervisor.address()) return [];
    return [...this.#monitor.notices(sessionId), ...this.#tools.notices(id)];
  }

  programs(): readonly RunningProgram[] {
    const running = this.#options.supervisor.running();
    if (!running) return [];
    const { pid, version, startedAt, restarts } = running;
    const everywhere = { laneId: null, sessionId: null, directory: null };
    return [{ pid, version, startedAt, restarts, ...everywhere, events: this.#monitor.events }];
  }

  /** Empty unless a server is running: a list to choose from is no reason to start one. */
  async models(directory: string, signal: AbortSignal): Promise<string[]> {
    if (!this.#options.supervisor.address()) return [];
    return (await this.#api.models(directory, signal)).map(qualifiedModelName);
  }

  /** Needs a running server, like `models`. */
  async checkChoice(lane: AgentChoice, signal: AbortSignal): Promise<Notice | null> {
    const selected = await selectAgent(lane, this.#api, signal);
    return "notice" in selected ? selected.notice : null;
  }

  async checkAdoption(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void> {
    await this.#startIfNeeded();
    await checkAdoption(lane, sessionId, this.#api, signal);
  }

  async openSession(lane: Lane, signal: AbortSignal): Promise<string> {
    await this.#startIfNeeded();
    const problem = await directoryProblem(lane.directory);
    if (problem !== null) throw new AppError({ code: "directory_missing", message: problem });
    const title = lane.displayName ?? lane.id;
    const permission = await laneRules(lane, this.#permissionSource(), signal);
    const session = await this.#api.createSession(lane.directory, { title, permission }, signal);
    this.#registry.add(session.id, null, session.directory);
    this.#monitor.signals.sessionOpened(lane, session.id);
    return session.id;
  }

  async sessionsIn({ directory }: Lane, signal: AbortSignal, since = 0): Promise<string[]> {
    await this.#startIfNeeded();
    return (await this.#api.sessions(directory, since, signal)).map(({ id }) => id);
  }

  laneRemoved(laneId: string, sessionIds: readonly string[]): void {
    this.#tools.laneRemoved(laneId);
    for (const sessionId of sessionIds) this.#monitor.forget(sessionId);
  }

  async fork(lane: Lane, from: { sessionId: string; before: string | null }, signal: AbortSignal) {
    const directory = await this.#registry.directoryOf(lane, from.sessionId, signal);
    const { session, renamed } = await forkSession(this.#api, { ...from, directory }, signal);
    this.#registry.add(session.id, null, session.directory);
    return { sessionId: session.id, renamed };
  }

  async read(lane: Lane, sessionId: string, limit: number | null, signal: AbortSignal): Promise<TranscriptSlice> {
    const watched = this.#monitor.watch(sessionId);
    // Signals of the lane's earlier sessions are not published.
    if (lane.sessionId === null || lane.sessionId === sessionId) this.#monitor.signals.watch(lane, sessionId);
    const stored = await readSessionRows(this.#askContext, lane, sessionId, limit, signal);
    this.#monitor.signals.sessionRead(sessionId);
    watched.mayMissAsk = false;
    if (stored === null || stored.status === "idle") this.#monitor.markIdle(sessionId);
    if (stored === null) {
      return { sessionId, status: "stale", asks: [], rows: [], complete: true, lastActivityAt: null };
    }
    const { status } = stored;
    const isIdle = status === "idle";
    const rows = isIdle ? withErrorRow(watched, stored.rows) : stored.rows;
    // Only a running turn has asks.
    const pending = isIdle ? noRequests : await readPendingRequests(this.#askContext, lane, sessionId, signal);
    watched.mayMissAsk = mayMissAsk(pending, rows);
    return {
      sessionId,
      status,
      elsewhere: await this.#registry.isElsewhere(sessionId, lane.directory),
      asks: asksFrom(pending),
      rows: transcriptRows(rows),
      complete: limit === null || rows.length < limit,
      lastActivityAt: latest([lastActivity(rows), watched.lastActivityAt]),
      usedBelow: await this.#subtasks.below(rows, signal),
    };
  }

  async submit(lane: Lane, prompt: Prompt, signal: AbortSignal): Promise<SubmitOutcome> {
    const { sessionId } = prompt;
    const prepared = await this.#prepare(lane, prompt, signal);
    if ("outcome" in prepared) return prepared;
    // Events from before the prompt have nothing to do with it.
    Object.assign(this.#monitor.watch(sessionId), { lastActivityAt: null, error: null });
    this.#monitor.signals.watch(lane, sessionId);
    return sendPrompt({ api: this.#api, clock: this.#options.clock }, prompt, prepared.settings, signal);
  }

  /** Everything before the prompt itself. If this fails, nothing has been sent. */
  async #prepare(
    lane: Lane,
    { sessionId, system: ofPrompt }: Prompt,
    signal: AbortSignal,
  ): Promise<{ settings: PromptSettings } | SubmitOutcome> {
    try {
      const problem = await directoryProblem(lane.directory);
      if (problem !== null) return { outcome: "not_sent", reason: problem };
      // In parallel, since the prompt waits for all of them.
      const [configured, selected] = await Promise.all([
        readSystemPrompt(this.#options.systemPromptPath),
        selectAgent(lane, this.#api, signal),
        updateSessionRules(lane, sessionId, this.#permissionSource(), signal),
        this.#connectTools(lane, sessionId, signal),
      ]);
      if ("unusable" in configured) return { outcome: "not_sent", reason: configured.unusable };
      if ("refused" in selected) return { outcome: "refused", reason: selected.refused };
      const system = withPromptSystem(configured.text, ofPrompt);
      return { settings: { ...selected.selection, ...(system === null ? {} : { system }) } };
    } catch (error) {
      return { outcome: "not_sent", reason: messageOf(error) };
    }
  }

  /** Uses the directory that the session names, since the server keeps its state by that directory. */
  async #connectTools(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void> {
    await this.#tools.connect(lane.id, await this.#registry.directoryOf(lane, sessionId, signal));
  }

  /**
   * Aborts the whole tree, since a subtask would continue without its parent. Only busy sessions are checked, since a
   * session may have had hundreds of subtasks. Pending asks are rejected: otherwise they would stay in the server's
   * list and seem to belong to the next turn.
   */
  async abort(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void> {
    this.#monitor.signals.watch(lane, sessionId);
    await this.#api.abort(sessionId, signal);
    const directory = await this.#registry.directoryOf(lane, sessionId, signal);
    for (const id of Object.keys(await this.#api.statuses(directory, signal))) {
      if (await this.#registry.isBelow(id, sessionId, signal)) await this.#api.abort(id, signal);
    }
    for (const { id } of asksFrom(await readPendingRequests(this.#askContext, lane, sessionId, signal))) {
      await this.#answer(lane, id, { decision: "reject" }).catch((error) => {
        // Somebody has already answered it, or it ended with its turn.
        if (!isNotFound(error)) throw error;
      });
    }
  }

  async answer(lane: Lane, askId: string, answer: AskAnswer): Promise<void> {
    try {
      await this.#answer(lane, askId, answer);
    } catch (error) {
      throw askAnswerError(askId, error);
    }
  }

  async #answer(lane: Lane, id: string, answer: AskAnswer): Promise<void> {
    const signal = AbortSignal.timeout(10_000);
    const directory = await this.#registry.directoryOf(lane, lane.sessionId, signal);
    let { decision } = answer;
    if (decision === "always" && isPermission(id)) {
      const { permissions } = await listPermissions(this.#askContext, directory, signal);
      const request = permissions.find((one) => one.id === id);
      const rules = request ? await laneRules(lane, this.#permissionSource(), signal) : [];
      if (request && allowsDenied(request, rules)) decision = "once";
    }
    await answerAsk(this.#api, { id, directory }, { ...answer, decision }, signal);
  }

  onHint(listener: (hint: Hint) => void): () => void {
    return this.#monitor.onHint(listener);
  }

  onSignal(listener: SignalListener): () => void {
    return this.#monitor.signals.onSignal(listener);
  }

  resync(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void> {
    return this.#monitor.signals.resync(lane, sessionId, signal);
  }

  async close(options?: { keep: boolean }): Promise<void> {
    this.#tools.close();
    await this.#monitor.close();
    await this.#options.supervisor.close(options);
  }

  async #startIfNeeded(): Promise<void> {
    const { supervisor, startAtOnce } = this.#options;
    if (startAtOnce === false && !supervisor.address()) await supervisor.start();
  }

  #permissionSource(): PermissionSource {
    const { permissions = null, toolServer, supervisor } = this.#options;
    const toolRules = toolServer ? (laneId: string) => this.#tools.rules(laneId) : null;
    return { api: this.#api, permissions, toolRules, ownServer: supervisor.address()?.startedByUs === true };
  }
}
