/**
 * OpenCode as a runtime: one server for all lanes, a session for each, prompts under our own ids. What the server
 * answers to a prompt proves nothing; that the message is stored is acceptance, and what follows it is the transcript.
 */
import { AppError, messageOf } from "../../app-error.ts";
import type { Clock } from "../../clock.ts";
import type { Lane, Notice } from "../../core/lane/lane.ts";
import type { RuntimeTraits, TranscriptSlice } from "../../core/transcript/transcript.ts";
import { directoryProblem } from "../lane-directory.ts";
import type { AskAnswer, Hint, LaneChoice, Prompt, Runtime, SignalListener, SubmitOutcome } from "../port.ts";
import { readSystemPrompt } from "../system-prompt.ts";
import type { FeedEvent } from "./server/event-stream.ts";
import { EventFeed } from "./server/event-stream.ts";
import { isNotFound, OpencodeApi, OpencodeError } from "./server/opencode-api.ts";
import type { ServerKeeper } from "./server/server-keeper.ts";
import { checkAdoption } from "./session/adoption.ts";
import type { PendingAsks } from "./session/asks.ts";
import {
  answerRefused,
  askedBy,
  isPermission,
  nothingAsked,
  openPermissions,
  pendingAsks,
  replyTo,
} from "./session/asks.ts";
import { BusyPolling } from "./session/busy-polling.ts";
import { chooseFor, nameOf } from "./session/choice.ts";
import { forkSession } from "./session/fork-session.ts";
import { HeardAsks } from "./session/heard-asks.ts";
import { opensDenied } from "./session/lasting-permission.ts";
import { askUnseen, mayHaveMissed, noEvents } from "./session/notices.ts";
import type { PromptSettings } from "./session/send-prompt.ts";
import { sendPrompt } from "./session/send-prompt.ts";
import { SessionPlaces } from "./session/session-directories.ts";
import { SessionHints } from "./session/session-hints.ts";
import type { PermissionsOf } from "./session/session-permissions.ts";
import { keepRules, rulesFor } from "./session/session-permissions.ts";
import { SessionTree } from "./session/session-tree.ts";
import { storedRows } from "./transcript/stored-rows.ts";
import { SubtaskUsage } from "./transcript/subtask-usage.ts";
import { lastActivity, rowsFrom } from "./transcript/transcript.ts";
import { HeardSigns } from "./translate/heard-signs.ts";
import { SessionSignals } from "./translate/session-signals.ts";

export type OpencodeOptions = {
  keeper: ServerKeeper;
  clock: Clock;
  /** Without it the server's own configuration says what the tools may do. */
  permissions?: PermissionsOf;
  onError: (error: unknown) => void;
  /** A file whose text the agents are given beside their own instructions. */
  systemPromptPath?: string;
  /** False where no lane needs the server yet: then it is started for the first session. */
  startAtOnce?: boolean;
  /** After how long a silent stream of events is given up. */
  silenceMs?: number;
};

export const opencodeTraits: RuntimeTraits = { takesIds: true, sendingAgain: "reruns", attachments: false };

export class OpencodeRuntime implements Runtime {
  readonly kind = "opencode";
  readonly traits = opencodeTraits;
  readonly #options: OpencodeOptions;
  readonly #api: OpencodeApi;
  readonly #tree: SessionTree;
  readonly #places: SessionPlaces;
  readonly #feed: EventFeed;
  readonly #polling: BusyPolling;
  readonly #heard = new HeardAsks();
  readonly #signs = new HeardSigns();
  readonly #subtasks: SubtaskUsage;
  readonly #signals: SessionSignals;
  readonly #hints: SessionHints;
  /** Sessions that may wait for somebody without anybody knowing. */
  readonly #unseen = new Set<string>();
  /** Known once the stream was open, or could not be opened. */
  #eventsAreMissing = false;

  constructor(options: OpencodeOptions) {
    const { keeper, clock, onError, silenceMs } = options;
    this.#options = options;
    this.#api = new OpencodeApi(() => keeper.address());
    this.#tree = new SessionTree(this.#api);
    this.#places = new SessionPlaces(this.#api);
    this.#hints = new SessionHints(this.#tree, onError);
    this.#polling = new BusyPolling({ clock, look: (sessionId) => this.#hints.tell(sessionId) });
    this.#subtasks = new SubtaskUsage(this.#api, onError);
    this.#signals = this.#makeSignals();
    this.#feed = new EventFeed({
      api: this.#api,
      clock,
      ...(silenceMs === undefined ? {} : { silenceMs }),
      onLive: (live) => {
        this.#eventsAreMissing = !live;
        this.#polling.eventsCome(live);
        this.#signals.eventsCome(live);
      },
      onEvent: (event) => this.#onEvent(event),
      onGap: () => {
        this.#hints.tellAll();
        this.#signals.resyncAll();
      },
      onError: (error) => {
        // Without a server there are no events either, and that is known.
        if (!keeper.address()) return;
        onError(error);
        void keeper.suspect();
      },
    });
    let isOurs = false;
    keeper.onChange((address) => {
      // What a server asked went with it.
      this.#heard.forget();
      this.#unseen.clear();
      // One that is somebody else's may be there still, and is asked when it answers again.
      if (!address && isOurs) this.#signals.died();
      isOurs = address?.startedByUs === true;
      if (!address) return;
      this.#feed.start();
      this.#feed.tryNow();
      this.#hints.tellAll();
    });
  }

  idsFrom(digest: string) {
    return { messageId: `msg_${digest}`, partId: `prt_${digest}` };
  }

  /** Whatever an earlier run left behind is taken over or ended; a server that does not come up is tried for again. */
  async recover(stopping?: AbortSignal): Promise<void> {
    const { keeper, startAtOnce, onError } = this.#options;
    if (startAtOnce === false) return;
    const stop = () => void keeper.close();
    stopping?.addEventListener("abort", stop, { once: true });
    try {
      await keeper.start();
    } catch (error) {
      if (!stopping?.aborted) onError(error);
    } finally {
      stopping?.removeEventListener("abort", stop);
    }
  }

  async health(): Promise<string | null> {
    return this.#options.keeper.health();
  }

  /** Without a server there is trouble, and no need of a notice. */
  notices({ sessionId }: Lane): readonly Notice[] {
    if (!this.#options.keeper.address()) return [];
    const unseen = sessionId !== null && this.#unseen.has(sessionId);
    return [...(this.#eventsAreMissing ? [noEvents] : []), ...(unseen ? [askUnseen] : [])];
  }

  /** Only of a server that runs: nobody starts one to choose from a list. */
  async models(directory: string, signal: AbortSignal): Promise<string[]> {
    if (!this.#options.keeper.address()) return [];
    return (await this.#api.models(directory, signal)).map(nameOf);
  }

  /** Only of a server that runs, as for models. */
  async checkChoice(lane: LaneChoice, signal: AbortSignal): Promise<Notice | null> {
    const chosen = await this.#asking(chooseFor(lane, this.#api, signal));
    return "notice" in chosen ? chosen.notice : null;
  }

  async checkAdoption(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void> {
    await this.#startIfNeeded();
    await this.#asking(checkAdoption(lane, sessionId, this.#api, signal));
  }

  async openSession(lane: Lane, signal: AbortSignal): Promise<string> {
    await this.#startIfNeeded();
    const trouble = await directoryProblem(lane.directory);
    if (trouble !== null) throw new AppError({ code: "directory_missing", message: trouble });
    const title = lane.displayName ?? lane.id;
    const permission = await this.#asking(rulesFor(lane, this.#permissions(), signal));
    const session = await this.#asking(this.#api.createSession(lane.directory, { title, permission }, signal));
    this.#tree.learn(session.id, null);
    this.#places.learn(session);
    this.#signals.opened(lane, session.id);
    return session.id;
  }

  laneRemoved(_laneId: string, sessionIds: readonly string[]): void {
    for (const sessionId of sessionIds) {
      this.#hints.unwatch(sessionId);
      this.#polling.saw(sessionId, "resting");
      this.#signs.forget(sessionId);
      this.#unseen.delete(sessionId);
      this.#places.forget(sessionId);
      this.#signals.letGo(sessionId);
    }
  }

  async fork(lane: Lane, from: { sessionId: string; before: string | null }, signal: AbortSignal) {
    const directory = await this.#placeOf(lane, from.sessionId, signal);
    const { session, renamed } = await this.#asking(forkSession(this.#api, { ...from, directory }, signal));
    this.#tree.learn(session.id, null);
    this.#places.learn(session);
    return { sessionId: session.id, renamed };
  }

  async read(lane: Lane, sessionId: string, limit: number | null, signal: AbortSignal): Promise<TranscriptSlice> {
    this.#hints.watch(sessionId);
    this.#polling.saw(sessionId, "busy");
    // What an earlier session of the lane says is over.
    if (lane.sessionId === null || lane.sessionId === sessionId) this.#signals.watch(lane, sessionId);
    const stored = await this.#asking(this.#stored(lane, sessionId, limit, signal));
    this.#signals.looked(sessionId);
    this.#unseen.delete(sessionId);
    if (stored === null || stored.status === "idle") this.#polling.saw(sessionId, "resting");
    if (stored === null) {
      return { sessionId, status: "stale", asks: [], rows: [], complete: true, lastActivityAt: null };
    }
    const { status } = stored;
    const rows = status === "idle" ? this.#signs.withError(sessionId, stored.rows) : stored.rows;
    // Asks are only there while a turn runs.
    const pending = status === "idle" ? nothingAsked : await this.#asking(this.#asks(lane, sessionId, signal));
    if (mayHaveMissed(pending, rows)) this.#unseen.add(sessionId);
    return {
      sessionId,
      status,
      elsewhere: await this.#places.isElsewhere(sessionId, lane.directory),
      asks: pending.asks,
      rows: rowsFrom(rows),
      complete: limit === null || rows.length < limit,
      lastActivityAt: latest(lastActivity(rows), this.#signs.lastAt(sessionId)),
      usedBelow: await this.#asking(this.#subtasks.below(rows, signal)),
    };
  }

  async submit(lane: Lane, prompt: Prompt, signal: AbortSignal): Promise<SubmitOutcome> {
    const { sessionId } = prompt;
    const ready = await this.#makeReady(lane, sessionId, signal);
    if ("outcome" in ready) return ready;
    this.#hints.watch(sessionId);
    this.#signals.watch(lane, sessionId);
    this.#polling.saw(sessionId, "busy");
    this.#signs.forget(sessionId);
    const sending = { api: this.#api, clock: this.#options.clock, asking: <T>(call: Promise<T>) => this.#asking(call) };
    return sendPrompt(sending, prompt, ready.with, signal);
  }

  /** What has to be in order before the prompt. Nothing has left yet, whatever goes wrong. */
  async #makeReady(
    lane: Lane,
    sessionId: string,
    signal: AbortSignal,
  ): Promise<{ with: PromptSettings } | SubmitOutcome> {
    try {
      const trouble = await directoryProblem(lane.directory);
      if (trouble !== null) return { outcome: "not_sent", reason: trouble };
      const system = await readSystemPrompt(this.#options.systemPromptPath);
      if ("unusable" in system) return { outcome: "not_sent", reason: system.unusable };
      const chosen = await this.#asking(chooseFor(lane, this.#api, signal));
      if ("refused" in chosen) return { outcome: "refused", reason: chosen.refused };
      await this.#asking(keepRules(lane, sessionId, this.#permissions(), signal));
      return { with: { ...chosen.choice, ...(system.text === null ? {} : { system: system.text }) } };
    } catch (error) {
      return { outcome: "not_sent", reason: messageOf(error) };
    }
  }

  /**
   * The whole tree: a subtask would work on without its parent. Only what works is looked at, since a session may have
   * had hundreds of them. What they asked would stay in the server's list, and seem to be asked by the next turn.
   */
  async abort(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void> {
    this.#signals.watch(lane, sessionId);
    await this.#asking(this.#api.abort(sessionId, signal));
    const working = Object.keys(await this.#api.statuses(await this.#placeOf(lane, sessionId, signal), signal));
    for (const id of working) if (await this.#tree.isBelow(id, sessionId, signal)) await this.#api.abort(id, signal);
    const { asks } = await this.#asks(lane, sessionId, signal);
    for (const { id } of asks) {
      await this.#reply(lane, id, { decision: "reject" }).catch(isOver);
    }
  }

  async answer(lane: Lane, askId: string, answer: AskAnswer): Promise<void> {
    try {
      await this.#reply(lane, askId, answer);
    } catch (error) {
      throw answerRefused(askId, error);
    }
  }

  async #reply(lane: Lane, askId: string, answer: AskAnswer): Promise<void> {
    const signal = AbortSignal.timeout(10_000);
    const directory = await this.#placeOf(lane, lane.sessionId, signal);
    const mayNotLast = answer.decision === "always" && isPermission(askId);
    const decision = mayNotLast && (await this.#opensDenied(lane, askId, signal)) ? "once" : answer.decision;
    await replyTo({ id: askId, directory }, { ...answer, decision }, this.#api, signal);
  }

  onHint(listener: (hint: Hint) => void): () => void {
    return this.#hints.onHint(listener);
  }

  onSignal(listener: SignalListener): () => void {
    return this.#signals.onSignal(listener);
  }

  resync(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void> {
    return this.#asking(this.#signals.resync(lane, sessionId, signal));
  }

  async close(options?: { keep: boolean }): Promise<void> {
    this.#polling.close();
    this.#signals.close();
    await this.#feed.close();
    await this.#options.keeper.close(options);
  }

  /** Where no lane needed the server before. */
  async #startIfNeeded(): Promise<void> {
    const { keeper, startAtOnce } = this.#options;
    if (startAtOnce === false && !keeper.address()) await keeper.start();
  }

  async #stored(lane: Lane, sessionId: string, limit: number | null, signal: AbortSignal) {
    const directory = await this.#placeOf(lane, sessionId, signal);
    return storedRows(this.#api, { directory, sessionId, limit }, signal);
  }

  /** Not always the lane's own directory; see session-places.ts. */
  async #placeOf({ directory }: Lane, sessionId: string | null, signal: AbortSignal): Promise<string> {
    return (sessionId === null ? null : await this.#places.of(sessionId, signal)) ?? directory;
  }

  async #asks(lane: Lane, sessionId: string, signal: AbortSignal): Promise<PendingAsks> {
    const directory = await this.#placeOf(lane, sessionId, signal);
    return pendingAsks({ api: this.#api, tree: this.#tree, heard: this.#heard }, { directory, sessionId }, signal);
  }

  #makeSignals(): SessionSignals {
    const place = { api: this.#api, tree: this.#tree, heard: this.#heard };
    return new SessionSignals({
      ...place,
      clock: this.#options.clock,
      stored: (lane, sessionId, limit, signal) => this.#stored(lane, sessionId, limit, signal),
      asked: async (lane, sessionId, signal) =>
        askedBy(place, { directory: await this.#placeOf(lane, sessionId, signal), sessionId }, signal),
      onError: this.#options.onError,
    });
  }

  async #opensDenied(lane: Lane, askId: string, signal: AbortSignal): Promise<boolean> {
    const directory = await this.#placeOf(lane, lane.sessionId, signal);
    const { open } = await openPermissions(this.#api, this.#heard, directory, signal);
    const request = open.find((one) => one.id === askId);
    return request !== undefined && opensDenied(request, await rulesFor(lane, this.#permissions(), signal));
  }

  #permissions() {
    const { permissions = null, keeper } = this.#options;
    return { api: this.#api, permissions, ownServer: keeper.address()?.startedByUs === true };
  }

  /** What a healthy server would not say makes it suspect: no answer, a page, a fault of its own, a wrong password. */
  async #asking<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      const isHealthy = !(error instanceof OpencodeError) || [400, 409].includes(error.status) || isNotFound(error);
      if (!isHealthy) void this.#options.keeper.suspect();
      throw error;
    }
  }

  #onEvent(event: FeedEvent): void {
    const { type, properties } = event;
    this.#hints.learn(event);
    this.#heard.hear(type, properties);
    this.#signals.hear(event);
    const known = this.#hints.laneSession(event);
    if (known !== null) {
      this.#signs.hear(known, known === properties.sessionID, type, properties.error, this.#options.clock.now());
    }
    this.#hints.hear(event);
    // Also those of others, which a server that is not ours alone tells of.
    if (type === "session.deleted" && typeof properties.sessionID === "string") this.#tree.forget(properties.sessionID);
  }
}

/** Somebody was faster, or it went with its turn. */
function isOver(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

function latest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}
