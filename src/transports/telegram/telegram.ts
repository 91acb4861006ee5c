/**
 * The Telegram transport: receives updates, passes people's messages to the service, and sends answers and notices to
 * the chats. It starts even if Telegram is unreachable, and continues once it is back.
 */
import type { Api } from "grammy";
import type { FailPointHook } from "../../core/delivery/fail-points.ts";
import type { Notice } from "../../core/lane/lane.ts";
import { Outbox } from "../../mail/outbox/outbox.ts";
import type { TransportBox } from "../../mail/outbox/transport-box.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Service } from "../../service/service.ts";
import { ChatAsks } from "./asks/chat-asks.ts";
import { botApi, grammySignal } from "./bot-api.ts";
import { commandMenu } from "./commands/commands.ts";
import { backAgain, restartKey } from "./commands/restart-command.ts";
import { gaveUp, handleUpdate, orderOf } from "./incoming/handle-update.ts";
import { LiveTurns } from "./live/live-turns.ts";
import { logCursorKey, tellNotices } from "./notices.ts";
import type { ServerAbilities } from "./outgoing/call-bot-api.ts";
import { deliverRow, mayRetryNow } from "./outgoing/deliver-row.ts";
import { phaseNow } from "./outgoing/delivery-rows.ts";
import type { TelegramSettings } from "./settings.ts";
import type { TelegramContext } from "./telegram-context.ts";
import { Topics } from "./topics/topics.ts";
import { Albums } from "./updates/albums.ts";
import type { PollProblem } from "./updates/poller.ts";
import { chooseUpdates, poll, untilAccepted } from "./updates/poller.ts";
import { UpdateQueue } from "./updates/update-queue.ts";

type TelegramDeps = {
  settings: TelegramSettings;
  service: Service;
  box: TransportBox;
  clock: Clock;
  /** A log line for people. Never pass a token or the text of a message. */
  warn: (about: Record<string, unknown>, message: string) => void;
  onError: (failure: { error: unknown }) => void;
  failPoint?: FailPointHook | undefined;
};

const cursorKey = "cursor";
/** How long a restart waits for its acknowledgement to reach the chat. */
const sentMs = 3000;

export class Telegram {
  readonly #deps: TelegramDeps;
  readonly #closing = new AbortController();
  readonly #apis: { calls: Api; polls: Api };
  readonly #topics = new Topics();
  readonly #server: ServerAbilities = { hasRichMessages: true, hasDrafts: true };
  readonly #asks = new ChatAsks();
  readonly #strangers = new Set<string>();
  #running: Promise<void> = Promise.resolve();
  #parts: { outbox: Outbox; updates: UpdateQueue } | null = null;
  #problem: PollProblem | null = null;

  constructor(deps: TelegramDeps) {
    this.#deps = deps;
    this.#apis = botApi(deps.settings);
  }

  /** The problem that keeps the transport from working, if any. */
  get notices(): readonly Notice[] {
    return this.#problem ? [{ code: `telegram_${this.#problem.code}`, message: this.#problem.message }] : [];
  }

  start(): void {
    this.#running = this.#run().catch((error: unknown) => this.#deps.onError({ error }));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#parts?.updates.close();
    await this.#parts?.outbox.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { box, service, clock, settings, onError, failPoint } = this.#deps;
    const { signal } = this.#closing;
    // Before any update is taken, so that every log item from here on reaches the chats.
    const after = await this.#logCursor();
    const bot = await this.#untilAccepted(() => this.#apis.calls.getMe(grammySignal(signal)));
    if (!bot) return;
    const state = await box.state();
    this.#topics.load(state);
    this.#asks.load(state);
    const context: TelegramContext = {
      ...{ bot, service, box, settings, clock, topics: this.#topics, asks: this.#asks, api: this.#apis.calls },
      sent: async (chat) => this.#parts?.outbox.settled(String(chat), sentMs),
    };
    const { outbox, updates } = this.#makeParts(context);
    this.#parts = { outbox, updates };
    const wake = (channel: string) => outbox.wake(channel);
    await box.write({ outbox: backAgain(state), state: [{ key: restartKey, value: null }] });
    await outbox.start();
    await updates.start();
    const onGap = () => this.#deps.warn({ event: "telegram_gap" }, "Some events are too old to be shown in the chats.");
    await Promise.all([
      this.#setMenu(),
      new LiveTurns({ context, outbox, server: this.#server, onError }).follow(signal),
      tellNotices({ context, after, wake, onGap, onError, failPoint }, signal),
      this.#receive(updates, signal),
    ]);
  }

  /** Takes an update from the webhook. Resolves when it is durable. */
  async take(body: unknown): Promise<void> {
    if (!this.#parts || this.#closing.signal.aborted) throw notReady();
    await this.#parts.updates.take([body], []);
  }

  async #receive(updates: UpdateQueue, signal: AbortSignal): Promise<void> {
    const { clock, settings, onError, failPoint } = this.#deps;
    const { webhook, pollIntervalMs: intervalMs, longPollMs } = settings;
    const deps = { clock, onError, onState: (problem: PollProblem | null) => this.#onPollState(problem) };
    const onRemoved = () =>
      this.#deps.warn({ event: "telegram_webhook_removed" }, "Removed the bot's webhook so that polling works.");
    await this.#untilAccepted(() => chooseUpdates(webhook, onRemoved, this.#apis.calls, signal));
    if (signal.aborted) return;
    this.#onPollState(null);
    if (webhook) return;
    const take = (bodies: readonly unknown[], cursor: number) =>
      updates.take(bodies, [{ key: cursorKey, value: cursor }]);
    await poll({ ...deps, api: this.#apis.polls, intervalMs, longPollMs, failPoint, take }, signal);
  }

  #makeParts(context: TelegramContext): { outbox: Outbox; updates: UpdateQueue } {
    const { box, clock, service, warn, onError, failPoint } = this.#deps;
    const outbox = new Outbox({
      ...{ box, clock, onError, failPoint, mayRetryNow },
      deliver: (row, signal) =>
        deliverRow(
          row,
          {
            ...{ api: this.#apis.calls, box, server: this.#server },
            phaseNow: (delivery) => phaseNow(delivery, service),
            onMigrated: (from, to) => this.#migrate(from, to),
            onUnauthorized: () =>
              this.#onPollState({ code: "token_refused", message: "Telegram refuses the bot token." }),
          },
          signal,
        ),
      onProblem: ({ channel, key }, { outcome, reason }) =>
        warn(
          { event: "telegram_not_sent", chat: channel, row: key, outcome, reason },
          "Telegram did not accept a message.",
        ),
    });
    const albums = new Albums(clock);
    const updates = new UpdateQueue({
      ...{ box, clock, onError, failPoint, giveUp: gaveUp },
      onTaken: (incoming, id) => {
        if (incoming.kind === "message") albums.note(incoming, id);
      },
      orderOf: (incoming) => orderOf(incoming, context),
      handle: (incoming, update) =>
        handleUpdate(incoming, update, {
          ...context,
          ...{ albums, closing: this.#closing.signal },
          onStranger: (user, chat) => this.#onStranger(user, chat),
          onReachable: (chat) => outbox.retryNow(String(chat)),
        }),
      wake: (channel) => outbox.wake(channel),
    });
    return { outbox, updates };
  }

  async #logCursor(): Promise<string> {
    const { box, service } = this.#deps;
    const known = (await box.state()).get(logCursorKey);
    if (typeof known === "string") return known;
    const end = service.logEnd();
    await box.write({ state: [{ key: logCursorKey, value: end }] });
    return end;
  }

  /** Null if the transport is closed first. */
  #untilAccepted<T>(call: () => Promise<T>): Promise<T | null> {
    const { clock, onError } = this.#deps;
    const onState = (problem: PollProblem | null) => this.#onPollState(problem);
    return untilAccepted(call, { clock, onError, onState }, this.#closing.signal);
  }

  async #setMenu(): Promise<void> {
    try {
      await this.#apis.calls.setMyCommands(commandMenu(), {}, grammySignal(this.#closing.signal));
    } catch {
      this.#deps.warn({ event: "telegram_menu" }, "The command menu could not be set. The commands work without it.");
    }
  }

  async #migrate(from: number, to: number): Promise<void> {
    const { box, clock } = this.#deps;
    const state = this.#topics.migrate(from, to, clock.now());
    await box.write({ state, moved: { from: String(from), to: String(to) } });
  }

  #onPollState(problem: PollProblem | null): void {
    if (problem?.code === this.#problem?.code) return;
    this.#problem = problem;
    const { warn } = this.#deps;
    if (problem) warn({ event: `telegram_${problem.code}` }, problem.message);
    else warn({ event: "telegram_ready" }, "Telegram is reachable again.");
  }

  #onStranger(user: number, chat: number): void {
    const key = `${user} in ${chat}`;
    if (this.#strangers.has(key)) return;
    this.#strangers.add(key);
    const message = "Ignored a user or chat that is not listed in telegramAllowedUsers or telegramAllowedChats.";
    this.#deps.warn({ event: "telegram_stranger", user, chat }, message);
  }
}

function notReady(): AppError {
  return new AppError({ code: "telegram_not_ready", message: "The bot is not ready for updates.", retryable: true });
}
