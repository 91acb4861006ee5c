/** What the parts of the transport share. */
import type { Api } from "grammy";
import type { Clock } from "../../clock.ts";
import type { TransportBox, TransportWrites } from "../../mail/outbox/transport-box.ts";
import type { Service } from "../../service/service.ts";
import type { ChatAsks } from "./asks/chat-asks.ts";
import type { TelegramSettings } from "./settings.ts";
import type { Topics } from "./topics/topics.ts";

export type BotIdentity = { id: number; username: string };

export type TelegramContext = {
  api: Api;
  bot: BotIdentity;
  service: Service;
  box: TransportBox;
  topics: Topics;
  asks: ChatAsks;
  settings: TelegramSettings;
  clock: Clock;
  /** Resolves when what was written for a chat has been sent, or cannot be soon. */
  sent: (chat: number) => Promise<void>;
};

/** What handling an update comes to. It is committed together with the mark that the update was handled. */
export type Handled = Pick<TransportWrites, "outbox" | "state" | "moved"> & {
  /** Updates that were handled together with this one. */
  alsoHandled?: readonly string[];
  /** Once that is durable. */
  after?: () => Promise<void>;
};
