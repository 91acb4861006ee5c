/**
 * OpenCode as a runtime: one server for all lanes, a session for each, prompts under our own ids. What the server
 * answers to a prompt proves nothing; that the message is stored is acceptance, and what follows it is the transcript.
 */
import { AppError, messageOf } from "../../app-error.ts";
import type { Clock } from "../../clock.ts";
import type { Lane } from "../../delivery/lane.ts";
import type {
  Ask,
  AskAnswer,
  Hint,
  Notice,
  Prompt,
  Runtime,
  RuntimeTraits,
  SignalListener,
  SubmitOutcome,
  TranscriptSlice,
} from "../port.ts";
import { readSystemPrompt } from "../system-prompt.ts";
import { checkAdoption } from "./adoption.ts";
import { askedBy, openPermissions, pendingAsks } from "./asks.ts";
import { BusyPolling } from "./busy-polling.ts";
import type { Choice } from "./choice.ts";
import { chooseFor } from "./choice.ts";
import type { FeedEvent } from "./event-feed.ts";
import { EventFeed } from "./event-feed.ts";
import { HeardAsks } from "./heard-asks.ts";
import { HeardSigns } from "./heard-signs.ts";
import { opensDenied } from "./lasting-permission.ts";
import type { MessageRow } from "./opencode-api.ts";
import { isNotFound, OpencodeApi, OpencodeError } from "./opencode-api.ts";
import type { ServerKeeper } from "./server-keeper.ts";
import type { PermissionsOf } from "./session-permissions.ts";
import { keepRules, rulesFor } from "./session-permissions.ts";
import { SessionPlaces } from "./session-places.ts";
import { SessionSignals } from "./session-signals.ts";
import { SessionTree } from "./session-tree.ts";
import { SubtaskUsage } from "./subtask-usage.ts";
import { lastActivity, rowsFrom } from "./transcript.ts";

export type OpencodeOptions = {
  keeper: ServerKeeper;
  clock: Clock;
  /** Without it the server's own configuration says what the tools may do. */
  permissions?: PermissionsOf;
  onTrouble: (error: unknown) => void;
  /** A file whose text the agents are given beside their own instructions. */
  systemPromptPath?: string;
  /** False where no lane needs the server yet: then it is started for the first session. */
  startAtOnce?: boolean;
  /** After how long a silent stream of events is given up. */
  silenceMs?: number;
};

/** How long after its answer the server may take to store a prompt, and how often that is looked at. */
const storedWithinMs = 3000;
const storedLookMs = 50;

/** Events after which a look is worth its cost. */
const telling = new Set([
  "session.idle",
  "session.error",
  "session.deleted",
  "permission.asked",
  "permission.replied",
  "question.asked",
  "question.replied",
  "question.rejected",
]);

/** What goes with a prompt beside its text. */
type PromptSettings = Choice & { system?: string };

const noEvents: Notice = {
  code: "events_unusable",
  message: "OpenCode's events do not come; sessions at work are looked at every two seconds instead.",
};

export class OpencodeRuntime implements Runtime {
  readonly kind = "opencode";
  readonly traits: RuntimeTraits = { takesIds: true, sendingAgain: "reruns", attachments: false };
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
  readonly #listeners = new Set<(hint: Hint) => void>();
  /** Sessions that somebody sent to or asked about; all of them are worth a look after a gap. */
  readonly #watched = new Set<string>();
  /** Known once the stream was open, or could not be opened. */
  #eventsAreMissing = false;

  constructor(options: OpencodeOptions) {
    const { keeper, clock, onTrouble, silenceMs } = options;
    this.#options = options;
    this.#api = new OpencodeApi(() => keeper.address());
    this.#tree = new SessionTree(this.#api);
    this.#places = new SessionPlaces(this.#api);
    this.#polling = new BusyPolling({ clock, look: (sessionId) => this.#tell(sessionId) });
    this.#subtasks = new SubtaskUsage(this.#api);
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
        this.#tellAll();
        this.#signals.retellAll();
      },
      onTrouble: (error) => {
        // Without a server there are no events either, and that is known.
        if (!keeper.address()) return;
        onTrouble(error);
        void keeper.suspect();
      },
    });
    let isOurs = false;
    keeper.onChange((address) => {
      // What a server asked went with it.
      this.#heard.forget();
      // One that is somebody else's may be there still, and is asked when it answers again.
      if (!address && isOurs) this.#signals.died();
      isOurs = address?.startedByUs === true;
      if (!address) return;
      this.#feed.start();
      this.#feed.tryNow();
      this.#tellAll();
    });
  }

  idsFrom(digest: string) {
    return { messageId: `msg_${digest}`, partId: `prt_${digest}` };
  }

  /** Whatever an earlier run left behind is taken over or ended; a server that does not come up is tried for again. */
  async recover(stopping?: AbortSignal): Promise<void> {
    const { keeper, startAtOnce, onTrouble } = this.#options;
    if (startAtOnce === false) return;
    const stop = () => void keeper.close();
    stopping?.addEventListener("abort", stop, { once: true });
    try {
      await keeper.start();
    } catch (error) {
      if (!stopping?.aborted) onTrouble(error);
    } finally {
      stopping?.removeEventListener("abort", stop);
    }
  }

  async trouble(): Promise<string | null> {
    return this.#options.keeper.trouble();
  }

  /** Without a server there is trouble, and no need of a notice. */
  notices(): readonly Notice[] {
    return this.#eventsAreMissing && this.#options.keeper.address() ? [noEvents] : [];
  }

  async checkAdoption(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void> {
    await this.#startIfNeeded();
    await this.#asking(checkAdoption(lane, sessionId, this.#api, signal));
  }

  async openSession(lane: Lane, signal: AbortSignal): Promise<string> {
    await this.#startIfNeeded();
    const title = lane.displayName ?? lane.id;
    const permission = await this.#asking(rulesFor(lane, this.#permissions(), signal));
    const session = await this.#asking(this.#api.createSession(lane.directory, { title, permission }, signal));
    this.#tree.learn(session.id, null);
    this.#places.learn(session);
    this.#signals.opened(lane, session.id);
    return session.id;
  }

  async read(lane: Lane, sessionId: string, limit: number | null, signal: AbortSignal): Promise<TranscriptSlice> {
    this.#watched.add(sessionId);
    this.#polling.saw(sessionId, "busy");
    this.#signals.watch(lane, sessionId);
    const stored = await this.#asking(this.#consistent(lane, sessionId, limit, signal));
    this.#signals.looked(sessionId);
    if (stored === null || stored.status === "idle") this.#polling.saw(sessionId, "resting");
    if (stored === null) {
      return { sessionId, status: "stale", asks: [], rows: [], complete: true, lastActivityAt: null };
    }
    const { status } = stored;
    const rows = status === "idle" ? this.#signs.withError(sessionId, stored.rows) : stored.rows;
    // Asks are only there while a turn runs.
    const asks = status === "idle" ? [] : await this.#asking(this.#asks(lane, sessionId, signal));
    return {
      sessionId,
      status,
      elsewhere: await this.#places.isElsewhere(sessionId, lane.directory),
      asks,
      rows: rowsFrom(rows),
      complete: limit === null || rows.length < limit,
      lastActivityAt: latest(lastActivity(rows), this.#signs.lastAt(sessionId)),
      usedBelow: await this.#asking(this.#subtasks.below(rows, signal)),
    };
  }

  async submit(lane: Lane, prompt: Prompt, signal: AbortSignal): Promise<SubmitOutcome> {
    const { sessionId, messageId, partId, text } = prompt;
    const ready = await this.#makeReady(lane, sessionId, signal);
    if ("outcome" in ready) return ready;
    this.#watched.add(sessionId);
    this.#signals.watch(lane, sessionId);
    this.#polling.saw(sessionId, "busy");
    this.#signs.forget(sessionId);
    try {
      const body = { messageID: messageId, parts: [{ id: partId, type: "text" as const, text }], ...ready.with };
      await this.#asking(this.#api.prompt(sessionId, body, signal));
    } catch (error) {
      signal.throwIfAborted();
      return notTaken(error);
    }
    return (await this.#asking(this.#isStored(sessionId, messageId, signal)))
      ? { outcome: "accepted" }
      : { outcome: "unknown", reason: "prompt_not_stored_yet" };
  }

  /** What has to be in order before the prompt. Nothing has left yet, whatever goes wrong. */
  async #makeReady(
    lane: Lane,
    sessionId: string,
    signal: AbortSignal,
  ): Promise<{ with: PromptSettings } | SubmitOutcome> {
    try {
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
    for (const { id } of await this.#asks(lane, sessionId, signal)) {
      await this.#reply(lane, id, { decision: "reject" }).catch(isOver);
    }
  }

  async answer(lane: Lane, askId: string, answer: AskAnswer): Promise<void> {
    try {
      await this.#reply(lane, askId, answer);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const message = `Nothing is asked under "${askId}" any more.`;
      throw new AppError({ code: "ask_unknown", message, cause: error });
    }
  }

  async #reply(lane: Lane, askId: string, { decision, answers = [] }: AskAnswer): Promise<void> {
    const signal = AbortSignal.timeout(10_000);
    const directory = await this.#placeOf(lane, lane.sessionId, signal);
    if (askId.startsWith("per")) {
      const reply = decision === "always" && (await this.#opensDenied(lane, askId, signal)) ? "once" : decision;
      await this.#api.replyPermission(askId, directory, { reply }, signal);
    } else if (decision === "reject") await this.#api.rejectQuestion(askId, directory, signal);
    else await this.#api.replyQuestion(askId, directory, answers, signal);
  }

  onHint(listener: (hint: Hint) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onSignal(listener: SignalListener): () => void {
    return this.#signals.onSignal(listener);
  }

  retell(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void> {
    return this.#asking(this.#signals.retell(lane, sessionId, signal));
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

  /**
   * Rows and status of one moment. They come from two requests, and a turn may begin or end between them: a session is
   * at rest only if it was so before and after its rows were read, and no row was still open in between.
   */
  async #consistent(lane: Lane, sessionId: string, limit: number | null, signal: AbortSignal) {
    const directory = await this.#placeOf(lane, sessionId, signal);
    for (let tries = 0; ; tries += 1) {
      const before = await this.#status(directory, sessionId, signal);
      const rows = await this.#api.messages(sessionId, limit, signal);
      if (rows === null) return null;
      const after = await this.#status(directory, sessionId, signal);
      const status = after === "idle" ? before : after;
      // A very short turn may lie wholly between the two; what stays open is left over from one that died.
      if (status !== "idle" || tries > 0 || !endsOpen(rows)) return { rows, status };
    }
  }

  /** Not always the lane's own directory; see session-places.ts. */
  async #placeOf({ directory }: Lane, sessionId: string | null, signal: AbortSignal): Promise<string> {
    return (sessionId === null ? null : await this.#places.of(sessionId, signal)) ?? directory;
  }

  async #asks(lane: Lane, sessionId: string, signal: AbortSignal): Promise<Ask[]> {
    const directory = await this.#placeOf(lane, sessionId, signal);
    return pendingAsks({ api: this.#api, tree: this.#tree, heard: this.#heard }, { directory, sessionId }, signal);
  }

  #makeSignals(): SessionSignals {
    const place = { api: this.#api, tree: this.#tree, heard: this.#heard };
    return new SessionSignals({
      ...place,
      clock: this.#options.clock,
      stored: (lane, sessionId, limit, signal) => this.#consistent(lane, sessionId, limit, signal),
      asked: async (lane, sessionId, signal) =>
        askedBy(place, { directory: await this.#placeOf(lane, sessionId, signal), sessionId }, signal),
      onTrouble: this.#options.onTrouble,
    });
  }

  async #opensDenied(lane: Lane, askId: string, signal: AbortSignal): Promise<boolean> {
    const directory = await this.#placeOf(lane, lane.sessionId, signal);
    const open = await openPermissions(this.#api, this.#heard, directory, signal);
    const request = open.find((one) => one.id === askId);
    return request !== undefined && opensDenied(request, await rulesFor(lane, this.#permissions(), signal));
  }

  #permissions() {
    const { permissions = null, keeper } = this.#options;
    return { api: this.#api, permissions, ownServer: keeper.address()?.startedByUs === true };
  }

  async #status(directory: string, sessionId: string, signal: AbortSignal): Promise<"idle" | "busy" | "retry"> {
    return (await this.#api.statuses(directory, signal))[sessionId]?.type ?? "idle";
  }

  /** The server answers before it stores. */
  async #isStored(sessionId: string, messageId: string, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    const until = clock.now() + storedWithinMs;
    for (;;) {
      if (await this.#api.message(sessionId, messageId, signal)) return true;
      if (clock.now() >= until) return false;
      await new Promise<void>((resolve) => void clock.at(clock.now() + storedLookMs, resolve));
    }
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
    this.#learn(type, properties);
    this.#heard.hear(type, properties);
    this.#signals.hear(event);
    const { sessionID } = properties;
    if (typeof sessionID !== "string") return;
    const known = this.#tree.knownRoot(sessionID);
    if (this.#watched.has(known)) {
      this.#signs.hear(known, known === sessionID, type, properties.error, this.#options.clock.now());
    }
    if (!telling.has(type)) return;
    if (this.#watched.has(known)) this.#tell(known);
    else void this.#tellAbove(sessionID);
  }

  /** A subtask whose beginning was missed: only the server can say under which lane it runs. */
  async #tellAbove(sessionId: string): Promise<void> {
    try {
      const above = await this.#tree.root(sessionId, AbortSignal.timeout(storedWithinMs));
      if (this.#watched.has(above)) this.#tell(above);
    } catch (error) {
      this.#options.onTrouble(error);
    }
  }

  /** A subtask's session is announced before anything happens in it. */
  #learn(type: string, { info }: FeedEvent["properties"]): void {
    if (type !== "session.created" && type !== "session.updated") return;
    const { id, parentID } = (info ?? {}) as { id?: unknown; parentID?: unknown };
    if (typeof id === "string") this.#tree.learn(id, typeof parentID === "string" ? parentID : null);
  }

  #tell(sessionId: string): void {
    for (const listener of this.#listeners) listener({ sessionId });
  }

  #tellAll(): void {
    for (const sessionId of this.#watched) this.#tell(sessionId);
  }
}

/** Somebody was faster, or it went with its turn. */
function isOver(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

function latest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

/** Whether the newest row is an assistant's that has not ended. */
function endsOpen(rows: readonly MessageRow[]): boolean {
  const newest = rows.at(-1)?.info;
  return newest?.role === "user" || (newest?.role === "assistant" && newest.time.completed === undefined);
}

function notTaken(error: unknown): SubmitOutcome {
  const reason = messageOf(error);
  if (!(error instanceof OpencodeError)) return { outcome: "not_sent", reason };
  // A session that is gone shows as stale at the next look; anything else that it will never take is said so.
  if (error.status === 400) return { outcome: "refused", reason };
  return error.status === 0 || error.status >= 500 ? { outcome: "unknown", reason } : { outcome: "not_sent", reason };
}
