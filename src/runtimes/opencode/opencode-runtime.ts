/**
 * OpenCode as a runtime: one server for all lanes, a session for each, prompts under our own ids. What the server
 * answers to a prompt proves nothing; that the message is stored is acceptance, and what follows it is the transcript.
 */
import { messageOf } from "../../app-error.ts";
import type { Clock } from "../../clock.ts";
import type { Lane } from "../../delivery/lane.ts";
import type {
  Ask,
  AskAnswer,
  Hint,
  Prompt,
  Runtime,
  RuntimeTraits,
  SignalListener,
  SubmitOutcome,
  TranscriptSlice,
} from "../port.ts";
import { askedBy, openPermissions, pendingAsks } from "./asks.ts";
import { BusyPolling } from "./busy-polling.ts";
import type { Choice } from "./choice.ts";
import { chooseFor } from "./choice.ts";
import type { FeedEvent } from "./event-feed.ts";
import { EventFeed } from "./event-feed.ts";
import { HeardAsks } from "./heard-asks.ts";
import { opensDenied } from "./lasting-permission.ts";
import type { MessageRow } from "./opencode-api.ts";
import { OpencodeApi, OpencodeError } from "./opencode-api.ts";
import type { ServerKeeper } from "./server-keeper.ts";
import type { PermissionsOf } from "./session-permissions.ts";
import { keepRules, rulesFor } from "./session-permissions.ts";
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

export class OpencodeRuntime implements Runtime {
  readonly kind = "opencode";
  readonly traits: RuntimeTraits = { takesIds: true, sendingAgain: "reruns", attachments: false };
  readonly #options: OpencodeOptions;
  readonly #api: OpencodeApi;
  readonly #tree: SessionTree;
  readonly #feed: EventFeed;
  readonly #polling: BusyPolling;
  readonly #heard = new HeardAsks();
  readonly #subtasks: SubtaskUsage;
  readonly #signals: SessionSignals;
  readonly #listeners = new Set<(hint: Hint) => void>();
  /** Sessions that somebody sent to or asked about; all of them are worth a look after a gap. */
  readonly #watched = new Set<string>();

  constructor(options: OpencodeOptions) {
    const { keeper, clock, onTrouble, silenceMs } = options;
    this.#options = options;
    this.#api = new OpencodeApi(() => keeper.address());
    this.#tree = new SessionTree(this.#api);
    this.#polling = new BusyPolling({ clock, look: (sessionId) => this.#tell(sessionId) });
    this.#subtasks = new SubtaskUsage(this.#api);
    this.#signals = this.#makeSignals();
    this.#feed = new EventFeed({
      api: this.#api,
      clock,
      ...(silenceMs === undefined ? {} : { silenceMs }),
      onLive: (live) => {
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
  async recover(): Promise<void> {
    if (this.#options.startAtOnce === false) return;
    try {
      await this.#options.keeper.start();
    } catch (error) {
      this.#options.onTrouble(error);
    }
  }

  async trouble(): Promise<string | null> {
    return this.#options.keeper.trouble();
  }

  async openSession(lane: Lane, signal: AbortSignal): Promise<string> {
    if (this.#options.startAtOnce === false && !this.#options.keeper.address()) await this.#options.keeper.start();
    const title = lane.displayName ?? lane.id;
    const permission = await this.#asking(rulesFor(lane, this.#permissions(), signal));
    const { id } = await this.#asking(this.#api.createSession(lane.directory, { title, permission }, signal));
    this.#tree.learn(id, null);
    this.#signals.opened(lane, id);
    return id;
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
    const { rows, status } = stored;
    // Asks are only there while a turn runs.
    const asks = status === "idle" ? [] : await this.#asking(this.#asks(lane, sessionId, signal));
    return {
      sessionId,
      status,
      asks,
      rows: rowsFrom(rows),
      complete: limit === null || rows.length < limit,
      lastActivityAt: lastActivity(rows),
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
    try {
      const body = { messageID: messageId, parts: [{ id: partId, type: "text" as const, text }], ...ready.choice };
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
  async #makeReady(lane: Lane, sessionId: string, signal: AbortSignal): Promise<{ choice: Choice } | SubmitOutcome> {
    try {
      const chosen = await this.#asking(chooseFor(lane, this.#api, signal));
      if ("refused" in chosen) return { outcome: "refused", reason: chosen.refused };
      await this.#asking(keepRules(lane, sessionId, this.#permissions(), signal));
      return chosen;
    } catch (error) {
      return { outcome: "not_sent", reason: messageOf(error) };
    }
  }

  /**
   * The whole tree: a subtask would work on without its parent. What it asked would stay in the server's list, and seem
   * to be asked by the next turn.
   */
  async abort(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void> {
    this.#signals.watch(lane, sessionId);
    const family = await this.#asking(this.#tree.family(sessionId, signal));
    for (const id of family) await this.#api.abort(id, signal);
    for (const { id } of await this.#asks(lane, sessionId, signal)) {
      await this.answer(lane, id, { decision: "reject" }).catch(isOver);
    }
  }

  async answer(lane: Lane, askId: string, { decision, answers = [] }: AskAnswer): Promise<void> {
    const { directory } = lane;
    const signal = AbortSignal.timeout(10_000);
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

  /**
   * Rows and status of one moment. They come from two requests, and a turn may begin or end between them: a session is
   * at rest only if it was so before and after its rows were read, and no row was still open in between.
   */
  async #consistent(lane: Lane, sessionId: string, limit: number | null, signal: AbortSignal) {
    for (let tries = 0; ; tries += 1) {
      const before = await this.#status(lane, sessionId, signal);
      const rows = await this.#api.messages(sessionId, limit, signal);
      if (rows === null) return null;
      const after = await this.#status(lane, sessionId, signal);
      const status = after === "idle" ? before : after;
      // A very short turn may lie wholly between the two; what stays open is left over from one that died.
      if (status !== "idle" || tries > 0 || !endsOpen(rows)) return { rows, status };
    }
  }

  #asks({ directory }: Lane, sessionId: string, signal: AbortSignal): Promise<Ask[]> {
    return pendingAsks({ api: this.#api, tree: this.#tree, heard: this.#heard }, { directory, sessionId }, signal);
  }

  #makeSignals(): SessionSignals {
    const place = { api: this.#api, tree: this.#tree, heard: this.#heard };
    return new SessionSignals({
      ...place,
      clock: this.#options.clock,
      stored: (lane, sessionId, limit, signal) => this.#consistent(lane, sessionId, limit, signal),
      asked: ({ directory }, sessionId, signal) => askedBy(place, { directory, sessionId }, signal),
      onTrouble: this.#options.onTrouble,
    });
  }

  async #opensDenied(lane: Lane, askId: string, signal: AbortSignal): Promise<boolean> {
    const open = await openPermissions(this.#api, this.#heard, lane.directory, signal);
    const request = open.find((one) => one.id === askId);
    return request !== undefined && opensDenied(request, await rulesFor(lane, this.#permissions(), signal));
  }

  #permissions() {
    const { permissions = null, keeper } = this.#options;
    return { api: this.#api, permissions, ownServer: keeper.address()?.startedByUs === true };
  }

  async #status(lane: Lane, sessionId: string, signal: AbortSignal): Promise<"idle" | "busy" | "retry"> {
    return (await this.#api.statuses(lane.directory, signal))[sessionId]?.type ?? "idle";
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
      if (error instanceof OpencodeError && ![400, 404, 409].includes(error.status))
        void this.#options.keeper.suspect();
      throw error;
    }
  }

  #onEvent(event: FeedEvent): void {
    const { type, properties } = event;
    this.#learn(type, properties);
    this.#heard.hear(type, properties);
    this.#signals.hear(event);
    const { sessionID } = properties;
    if (!telling.has(type) || typeof sessionID !== "string") return;
    const known = this.#tree.knownRoot(sessionID);
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
  if (!(error instanceof OpencodeError) || error.status !== 404) throw error;
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
