/**
 * A fake of Telegram's Bot API on loopback, for tests and the demo. A real bot library talks to it; the program that
 * started it acts as the people on the other side. It depends on nothing else in Waybill.
 */
import type { UserFromGetMe } from "grammy/types";
import { type Clock, systemClock } from "./clock.ts";
import { methodsOf } from "./methods/all-methods.ts";
import { createPeople, type People } from "./people/create-chats.ts";
import { type Call, type CallListener, createCallLog } from "./server/call-log.ts";
import { createFaults, type FaultOrder, type Gate, type Moment } from "./server/faults.ts";
import { startLoopbackServer } from "./server/loopback-server.ts";
import type { ServerState } from "./server/serve.ts";
import { type BotApiVersion, createWorld } from "./state/world.ts";

export type { ChatHandle } from "./people/chat-handle.ts";
export type { ChatView, ShownDraft, ShownMessage, ShownTopic } from "./people/chat-view.ts";
export type { Call, CallListener, CallOutcome, CallStage } from "./server/call-log.ts";
export type { Fault, FaultOrder, Gate, Moment } from "./server/faults.ts";
export type { CallbackAnswer } from "./state/world.ts";

export type FakeBotApiOptions = {
  token?: string;
  username?: string;
  /** Further fields of `getMe`. */
  bot?: Partial<UserFromGetMe>;
  /** "old": without rich messages and drafts. */
  botApiVersion?: BotApiVersion;
  clock?: Clock;
  /** One message a second in a chat, 20 a minute in a group. Off by default. */
  floodLimits?: boolean;
  /** How long to wait before a failed webhook is retried. */
  webhookRetryMs?: number;
  /** Any free port by default. */
  port?: number;
};

export type FakeBotApi = People & {
  /** grammY's `apiRoot`. */
  url: string;
  port: number;
  token: string;
  bot: UserFromGetMe;
  /** Makes the next calls fail; the returned function cancels faults that were not used. */
  fail(order: FaultOrder): () => void;
  /** Holds the calls of a method, before or after they take effect. */
  hold(method: string, when?: Moment): Gate;
  calls(method?: string): Call[];
  callCounts(): Record<string, number>;
  onCall(listener: CallListener): () => void;
  /** Resolves with the next call of the method that reaches the stage "answered". */
  nextCall(method: string, where?: (params: Call["params"]) => boolean): Promise<Call>;
  /** Called whenever what a chat shows has changed. */
  onChange(listener: () => void): () => void;
  /** Delivers an update as given, however malformed. */
  raw(update: Record<string, unknown>): void;
  /** How many updates the bot has not confirmed. */
  pendingUpdates(): number;
  revokeToken(): void;
  /** Makes Telegram unreachable. It keeps its state until `comeBack`. */
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
};

export async function startFakeBotApi(options: FakeBotApiOptions = {}): Promise<FakeBotApi> {
  const { token = "123456789:fake-token-for-tests-only", clock = systemClock } = options;
  const version = options.botApiVersion ?? "current";
  const bot = botProfile(token, options);
  const { floodLimits = false, webhookRetryMs = 100 } = options;
  const world = createWorld({ clock, version, bot, floodLimits, webhookRetryMs });
  const log = createCallLog(() => clock.now(), token);
  const state: ServerState = { world, methods: methodsOf(version), token, log, faults: createFaults() };
  const server = await startLoopbackServer(state, options.port ?? 0);

  const goDown = async () => {
    world.webhook.pause();
    await server.goDown();
  };
  return {
    ...createPeople(world),
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    token,
    bot,
    fail: state.faults.add,
    hold: (method, when = "after") => state.faults.hold(method, when),
    calls: log.calls,
    callCounts: log.counts,
    onCall: log.listen,
    nextCall: (method, where = () => true) =>
      new Promise((resolve) => {
        const stop = log.listen((stage, call) => {
          if (stage !== "answered" || call.method !== method || !where(call.params)) return;
          stop();
          resolve(call);
        });
      }),
    onChange(listener) {
      world.events.on("change", listener);
      return () => world.events.off("change", listener);
    },
    raw: world.updates.addRaw,
    pendingUpdates: () => world.updates.pending().length,
    revokeToken() {
      state.token = undefined;
    },
    goDown,
    async comeBack() {
      await server.comeBack();
      world.webhook.resume();
    },
    close: goDown,
  };
}

function botProfile(token: string, { username = "waybill_test_bot", bot = {} }: FakeBotApiOptions): UserFromGetMe {
  return {
    id: Number.parseInt(token, 10) || 123_456_789,
    is_bot: true,
    first_name: "Waybill",
    username,
    can_join_groups: true,
    can_read_all_group_messages: true,
    supports_guest_queries: false,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
    has_topics_enabled: true,
    allows_users_to_create_topics: true,
    can_manage_bots: false,
    supports_join_request_queries: false,
    ...bot,
  };
}
