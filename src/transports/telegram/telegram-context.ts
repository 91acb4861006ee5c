/** The context that the parts of the transport share. */
import type { Api } from "grammy";
import type { TransportBox, TransportWrites } from "../../mail/outbox/transport-box.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Service } from "../../service/service.ts";
import type { ChatAsks } from "./asks/chat-asks.ts";
import type { TelegramSettings } from "./settings.ts";
import type { Topics } from "./topics/topics.ts";
import type { Incoming } from "./updates/read-update.ts";

export type TelegramContext = {
  api: Api;
  bot: { id: number; username: string };
  service: Service;
  box: TransportBox;
  topics: Topics;
  asks: ChatAsks;
  settings: TelegramSettings;
  clock: Clock;
  /** Resolves when a chat's outbox has been sent, or cannot be sent soon. */
  sent: (chat: number) => Promise<void>;
};

/** `isAgain`: an earlier try may have handled it, but failed or crashed before that was durable. */
export type StoredUpdate = { id: string; receivedAt: number; isAgain: boolean };

/** The result of handling an update. It is committed together with the mark that the update was handled. */
export type Handled = Pick<TransportWrites, "outbox" | "state" | "moved"> & {
  /** Updates that were handled together with this one. */
  alsoHandled?: readonly string[];
  /** Runs after the commit. */
  after?: () => Promise<void>;
};

/** Both, in one commit. */
export function both(one: Handled, other: Handled): Handled {
  const after = one.after ?? other.after;
  return {
    outbox: [...(one.outbox ?? []), ...(other.outbox ?? [])],
    state: [...(one.state ?? []), ...(other.state ?? [])],
    ...(after ? { after } : {}),
  };
}

/** A button press. */
export type Press = Extract<Incoming, { kind: "button" }> & { update: StoredUpdate };

/** The result of a press. `words` are shown to the person who pressed: briefly, or as an alert until they close it. */
export type Pressed = { words: string; isAlert?: boolean; writes?: Handled };

export const overWords = "This is no longer open.";
