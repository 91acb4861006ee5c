/**
 * Shows running turns in their chats: previews of the answer, and progress from time to time. It follows the log live.
 * Previews are not stored. There are no timers while no turn runs.
 */
import type { DeliveryRecord } from "../../../core/delivery/record.ts";
import { openStatuses } from "../../../core/delivery/record.ts";
import type { LogItem, LogType } from "../../../core/log/log-item.ts";
import type { Outbox } from "../../../mail/outbox/outbox.ts";
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import type { ServerAbilities } from "../outgoing/call-bot-api.ts";
import { messageOf, say } from "../outgoing/chat-row.ts";
import { phaseNow, phaseOf, startedSign } from "../outgoing/delivery-rows.ts";
import type { Origin } from "../outgoing/origin.ts";
import { originOf } from "../outgoing/origin.ts";
import { deliveryButtons, progressKey, startedKey } from "../outgoing/signs.ts";
import type { TelegramContext } from "../telegram-context.ts";
import { nextPreviewAt, nextProgressAt, progressDue } from "./pace.ts";
import type { Shown } from "./show-preview.ts";
import { showDraft, showEdit } from "./show-preview.ts";
import type { TurnView } from "./turn-view.ts";
import { emptyView, progressBelowText, progressWords, viewAfter } from "./turn-view.ts";

type LiveTurnsDeps = {
  context: TelegramContext;
  outbox: Pick<Outbox, "preview" | "dropPreview" | "wake">;
  server: ServerAbilities;
  onError: (failure: { error: unknown }) => void;
};

type LiveTurn = {
  delivery: string;
  laneId: string;
  origin: Origin;
  /** When it was first sent. */
  since: number;
  view: TurnView;
  isChanged: boolean;
  lastShownAt: number | null;
  /** The outbox has a preview that it has not shown yet. */
  isAsked: boolean;
  progressCount: number;
  cancelPreview: () => void;
  cancelProgress: () => void;
};

const types: readonly LogType[] = [
  "delivery",
  "turn.started",
  "turn.ended",
  "item.started",
  "item.delta",
  "item.completed",
];
/** Drafts fade after 30 s. */
const refreshDraftMs = 20_000;
const maxOpen = 500;

export class LiveTurns {
  readonly #deps: LiveTurnsDeps;
  /** By lane: it works on one delivery at a time. */
  readonly #turns = new Map<string, LiveTurn>();
  readonly #pausedUntil = new Map<number, number>();

  constructor(deps: LiveTurnsDeps) {
    this.#deps = deps;
  }

  /** Until the signal is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    const { service } = this.#deps.context;
    const after = service.logEnd();
    try {
      const { items } = await service.deliveries({ statuses: openStatuses, limit: maxOpen });
      for (const { record } of items) await this.#follow(record);
      for await (const item of service.follow({ after, types, signal })) {
        if (item.type !== "reset") await this.#take(item);
      }
    } finally {
      for (const [laneId, turn] of this.#turns) this.#end(laneId, turn);
    }
  }

  async #take(item: LogItem): Promise<void> {
    if (item.type === "delivery") return this.#follow(item.record);
    const turn = item.laneId === null ? undefined : this.#turns.get(item.laneId);
    if (item.type !== "event" || !turn) return;
    const view = viewAfter(turn.view, item.event);
    if (view === turn.view) return;
    turn.view = view;
    turn.isChanged = true;
    this.#planPreview(turn);
  }

  async #follow(record: DeliveryRecord): Promise<void> {
    const known = this.#turns.get(record.laneId);
    const isRunning = record.source === "telegram" && phaseOf(record.status) === "running";
    if (isRunning && known?.delivery === record.id) return;
    if (known && (isRunning || known.delivery === record.id)) this.#end(record.laneId, known);
    if (!isRunning) return;
    try {
      const origin = await originOf(record.laneId, record.messageId, this.#deps.context);
      if (origin) await this.#begin(record, origin);
    } catch (error) {
      this.#deps.onError({ error });
    }
  }

  async #begin({ id, laneId, attemptList, createdAt }: DeliveryRecord, origin: Origin): Promise<void> {
    const { server } = this.#deps;
    const turn: LiveTurn = {
      ...{ delivery: id, laneId, origin, since: attemptList[0]?.submittedAt ?? createdAt, view: emptyView },
      // In a private chat an empty draft shows that work has started. In a group an outbox row does.
      isChanged: origin.topic.isPrivate,
      ...{ lastShownAt: null, isAsked: false, progressCount: 0, cancelPreview: () => {}, cancelProgress: () => {} },
    };
    this.#turns.set(laneId, turn);
    if (origin.topic.isPrivate && !server.hasDrafts) await this.#writeSign(turn);
    this.#planPreview(turn);
    this.#planProgress(turn);
  }

  #end(laneId: string, turn: LiveTurn): void {
    turn.cancelPreview();
    turn.cancelProgress();
    this.#turns.delete(laneId);
    this.#deps.outbox.dropPreview(channelOf(turn), turn.delivery);
  }

  #planPreview(turn: LiveTurn): void {
    const { clock, settings } = this.#deps.context;
    turn.cancelPreview();
    if (turn.isAsked) return;
    const pausedUntil = this.#pausedUntil.get(turn.origin.topic.chat) ?? 0;
    const refreshMs = this.#isDraft(turn) ? refreshDraftMs : null;
    const at = nextPreviewAt({ ...turn, pausedUntil }, settings.previewEveryMs, refreshMs);
    if (at === null) return;
    if (at <= clock.now()) this.#askPreview(turn);
    else turn.cancelPreview = clock.at(at, () => this.#askPreview(turn));
  }

  #askPreview(turn: LiveTurn): void {
    turn.isAsked = true;
    this.#deps.outbox.preview(channelOf(turn), turn.delivery, (signal) => this.#show(turn, signal));
  }

  async #show(turn: LiveTurn, signal: AbortSignal): Promise<void> {
    const { clock, service } = this.#deps.context;
    // The result may already be in the chat. Show nothing more; the log item that ends this turn will follow.
    if ((await phaseNow(turn.delivery, service)) !== "running") return;
    try {
      turn.isChanged = false;
      const shown = await this.#shown(turn, signal);
      if (shown.outcome === "shown") return;
      turn.isChanged = true;
      if (shown.outcome === "no_drafts") await this.#writeSign(turn);
      else this.#pausedUntil.set(turn.origin.topic.chat, clock.now() + shown.waitMs);
    } finally {
      // The interval starts at the response, because the request may have taken a while to arrive.
      turn.lastShownAt = clock.now();
      turn.isAsked = false;
      if (!signal.aborted && this.#turns.get(turn.laneId) === turn) this.#planPreview(turn);
    }
  }

  async #shown(turn: LiveTurn, signal: AbortSignal): Promise<Shown> {
    const { context, server } = this.#deps;
    const deps = { api: context.api, server, signal };
    if (this.#isDraft(turn)) return showDraft(turn, deps);
    const message = messageOf((await context.box.row(startedKey(turn.delivery)))?.refs ?? []);
    // The "Working…" message has not been sent yet.
    if (message === null) return { outcome: "dropped", waitMs: 0 };
    return showEdit(turn, message, deps);
  }

  #isDraft({ origin }: LiveTurn): boolean {
    return origin.topic.isPrivate && this.#deps.server.hasDrafts;
  }

  #planProgress(turn: LiveTurn): void {
    const { clock, settings } = this.#deps.context;
    const { since, progressCount } = turn;
    const due = progressDue(since, clock.now(), settings.progress);
    if (due > progressCount) {
      const ms = clock.now() - since;
      const counts = Array.from({ length: due - progressCount }, (_, index) => progressCount + index + 1);
      turn.progressCount = due;
      this.#writeProgress(
        turn,
        counts.map((count) => progressRow(turn, ms, count)),
      ).catch((error: unknown) => this.#deps.onError({ error }));
    }
    const next = nextProgressAt(since, turn.progressCount, settings.progress);
    if (next !== null) turn.cancelProgress = clock.at(next, () => this.#planProgress(turn));
  }

  /** Not while the agent waits for a person: the chat already shows the ask. */
  async #writeProgress(turn: LiveTurn, rows: readonly NewOutboxRow[]): Promise<void> {
    const asks = await this.#deps.context.service.asks();
    if (!asks.some(({ laneId }) => laneId === turn.laneId)) await this.#write(turn, rows);
  }

  /** If the server has no drafts, a private chat gets the same "Working…" message as a group. */
  #writeSign(turn: LiveTurn): Promise<void> {
    return this.#write(turn, [startedSign(turn.delivery, turn.origin)]);
  }

  async #write(turn: LiveTurn, outbox: readonly NewOutboxRow[]): Promise<void> {
    await this.#deps.context.box.write({ outbox });
    this.#deps.outbox.wake(channelOf(turn));
  }
}

function channelOf({ origin }: LiveTurn): string {
  return String(origin.topic.chat);
}

/** All reports of a turn share one message: the "Working…" message, if there is one. */
function progressRow({ delivery, origin, view }: LiveTurn, ms: number, count: number): NewOutboxRow {
  const { topic, message, messageId } = origin;
  const words = topic.isPrivate ? progressWords(view, ms) : progressBelowText(view, ms);
  const earlier = Array.from({ length: count - 1 }, (_, index) => progressKey(delivery, index + 1));
  return say(topic, progressKey(delivery, count), words, {
    replyTo: message,
    buttons: deliveryButtons(messageId, "stop"),
    replaces: [startedKey(delivery), ...earlier],
    onlyWhile: { delivery, phase: "running" },
  });
}
