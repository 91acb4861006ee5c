/** Handles each kind of update. */
import { openStatuses } from "../../../core/delivery/record.ts";
import { AppError, nullIfRefused } from "../../../platform/app-error.ts";
import { handleReply } from "../asks/ask-replies.ts";
import { commandCalled, commandNames } from "../commands/commands.ts";
import { draftIdOf } from "../live/show-preview.ts";
import { say } from "../outgoing/chat-row.ts";
import type { Handled, StoredUpdate, TelegramContext } from "../telegram-context.ts";
import { topicKey } from "../topics/topic.ts";
import { adminsOnly, isAdmin, isListed, mayUse } from "../updates/access.ts";
import { readIntent } from "../updates/intent.ts";
import type { Incoming, IncomingMessage, Person, Place } from "../updates/read-update.ts";
import { handleButton, refusePress } from "./handle-button.ts";
import type { RelayContext } from "./relay-message.ts";
import { refusal, relayMessage } from "./relay-message.ts";

type HandlerDeps = RelayContext & {
  /** Called for each refused message or button press. */
  onStranger: (user: number, chat: number) => void;
  /** Something came from the chat, so it can be reached. */
  onReachable: (chat: number) => void;
};

/** A topic's messages and the commands that change it are handled in order. Other commands and buttons do not wait. */
export function orderOf(incoming: Incoming, { bot }: Pick<TelegramContext, "bot">): string | null {
  if (incoming.kind === "topic_named") return topicKey(incoming.place);
  if (incoming.kind !== "message") return null;
  const intent = readIntent(incoming.text, commandNames, bot.username);
  const changesTopic = intent.kind === "command" && commandCalled(intent.name)?.changesTopic === true;
  return intent.kind === "relay" || changesTopic ? topicKey(incoming.place) : null;
}

export async function handleUpdate(incoming: Incoming, update: StoredUpdate, deps: HandlerDeps): Promise<Handled> {
  const { topics, clock } = deps;
  switch (incoming.kind) {
    case "message":
      if (!mayTalk(incoming.place, incoming.from, deps)) return {};
      return withPerson(incoming, await handleMessage(incoming, update, deps), deps);
    case "migrated":
      return {
        state: topics.migrate(incoming.from, incoming.to, clock.now()),
        moved: { from: String(incoming.from), to: String(incoming.to) },
      };
    case "membership":
      if (incoming.isMember) deps.onReachable(incoming.place.chat);
      return {};
    case "topic_named": {
      if (!isListed(deps.settings, incoming.place, topics.formerId(incoming.place.chat))) return {};
      const topic = topics.of(incoming.place, clock.now());
      return { state: topics.keep({ ...topic, name: incoming.name }, clock.now()) };
    }
    case "button":
      return mayTalk(incoming.place, incoming.from, deps)
        ? handleButton({ ...incoming, update }, deps)
        : refusePress(incoming, deps);
    case "draft_stopped":
      return mayUse(deps.settings, incoming.place, incoming.place.chat, null) ? stopDraft(incoming.draft, deps) : {};
    case "other":
      return {};
    default:
      return incoming satisfies never;
  }
}

/** An allowed person in an allowed place. Others get no answer, so that they learn nothing. */
function mayTalk(place: Place, from: Person, deps: HandlerDeps): boolean {
  const { settings, topics, onStranger, onReachable } = deps;
  if (from.isBot || !mayUse(settings, place, from.id, topics.formerId(place.chat))) {
    onStranger(from.id, place.chat);
    return false;
  }
  onReachable(place.chat);
  return true;
}

/** Remembers a person's private chat, so that agents can write to them there. */
function withPerson({ place, from }: IncomingMessage, handled: Handled, { topics }: HandlerDeps): Handled {
  const known = place.isPrivate ? topics.keepPerson(from.name, place.chat) : [];
  return known.length === 0 ? handled : { ...handled, state: [...(handled.state ?? []), ...known] };
}

async function handleMessage(message: IncomingMessage, update: StoredUpdate, deps: HandlerDeps): Promise<Handled> {
  const { topics, clock, settings, bot } = deps;
  const intent = readIntent(message.text, commandNames, bot.username);
  const topic = topics.of(message.place, clock.now());
  try {
    // A word such as "restart" may be an answer to an ask; a slash command never is.
    const isCommand = intent.kind === "command" && message.text.startsWith("/");
    const replied = isCommand ? null : await handleReply(message, update, deps);
    if (replied) return replied;
    switch (intent.kind) {
      case "for_others":
        return {};
      case "relay":
        return await relayMessage(message, update, topic, deps);
      case "command": {
        // An edited command was carried out when it was first sent.
        if (message.editedAt !== null) return {};
        const command = commandCalled(intent.name);
        if (!command) return {};
        if (command.adminOnly && !isAdmin(settings, message.from.id)) return refusal(message, update, adminsOnly());
        return await command.run({ message, update, topic, args: intent.args }, deps);
      }
      default:
        return intent satisfies never;
    }
  } catch (error) {
    // The person can fix this. Any other error is retried.
    if (!(error instanceof AppError) || error.retryable) throw error;
    return refusal(message, update, error);
  }
}

/** For an update that could not be handled, so that it does not block later ones. */
export function gaveUp(incoming: Incoming, update: StoredUpdate): Handled {
  if (incoming.kind !== "message") return {};
  const words = "⚠️ Waybill could not handle this message because of an internal error. Please send it again.";
  return { outbox: [say(incoming.place, `gave-up:${update.id}`, words, { replyTo: incoming.messageId })] };
}

const maxOpen = 500;

/** Telegram's own stop button on a draft. The chat is notified as for any other stop. */
async function stopDraft(draft: number, { service }: Pick<TelegramContext, "service">): Promise<Handled> {
  const { items } = await service.deliveries({ statuses: openStatuses, limit: maxOpen });
  const stopped = items.find(({ record }) => record.source === "telegram" && draftIdOf(record.id) === draft);
  // It may have ended in the meantime.
  if (stopped) await nullIfRefused(service.cancel(stopped.record.id), "not_possible");
  return {};
}
