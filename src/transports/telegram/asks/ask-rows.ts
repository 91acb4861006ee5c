/** Shows an ask in the chats: the request, what people have selected, and how it ended. */
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import type { Keyboard } from "../outgoing/chat-row.ts";
import { row, say } from "../outgoing/chat-row.ts";
import { concernedTopics } from "../outgoing/origin.ts";
import type { Handled, TelegramContext } from "../telegram-context.ts";
import { chatMessageOf } from "../updates/message-id.ts";
import { askButtons } from "./ask-buttons.ts";
import { permissionText, permissionVerdict, questionText, questionVerdict } from "./ask-text.ts";
import type { AskPlace, ChatAsk } from "./chat-asks.ts";
import { askName, messageKey } from "./chat-asks.ts";

type Requested = Extract<UniversalEvent, { type: "permission.requested" | "question.requested" }>;
type AskWrites = Pick<Handled, "outbox" | "state">;

export const askEventTypes = [
  "permission.requested",
  "permission.resolved",
  "question.requested",
  "question.resolved",
] as const;

export async function askWrites(event: UniversalEvent, context: TelegramContext): Promise<AskWrites> {
  // Copied from the lane that this one was forked from.
  if (event.copied === true) return {};
  switch (event.type) {
    case "permission.requested":
    case "question.requested":
      return requested(event, context);
    case "permission.resolved":
      return ended(event.data.ask, (ask) => permissionVerdict(ask, event.data.outcome), context);
    case "question.resolved":
      return ended(event.data.ask, (ask) => questionVerdict(ask, event.data), context);
    default:
      return {};
  }
}

async function requested(event: Requested, context: TelegramContext): Promise<AskWrites> {
  const { asks, service } = context;
  const name = askName(event.data.ask);
  // After a restart, open asks are announced again. This one may already be shown, or answered.
  if (asks.find(name) || asks.wasAnswered(name)) return {};
  const places = (await concernedTopics(event.lane, context)).map(({ key, chat, thread }) => ({ key, chat, thread }));
  if (places.length === 0) return {};
  const { lane, holder } = await service.lane(event.lane);
  const ask = newAsk(event, name, places, lane.directory);
  const origin = holder ? chatMessageOf(holder.messageId) : null;
  return { outbox: places.flatMap((place) => shownIn(place, ask, origin)), state: asks.keep(ask) };
}

function newAsk(event: Requested, name: string, places: AskPlace[], directory: string): ChatAsk {
  const base = { name, id: event.data.ask, event: event.id, places, decision: null };
  if (event.type === "permission.requested") {
    const texts = [permissionText(event.data.title, event.data.detail, directory)];
    return { ...base, kind: "permission", texts, questions: [], marked: [], answers: [] };
  }
  const { questions } = event.data;
  return {
    ...base,
    kind: "question",
    texts: questions.map((question, part) => questionText(question, part, questions.length)),
    questions,
    marked: questions.map(() => []),
    answers: questions.map(() => null),
  };
}

function shownIn(place: AskPlace, ask: ChatAsk, origin: { chat: number; message: number } | null): NewOutboxRow[] {
  const reply = origin?.chat === place.chat ? { replyTo: origin.message } : {};
  return ask.texts.map((text, part) =>
    say(place, messageKey(ask, part, place), text, { ...reply, buttons: askButtons(ask, part) }),
  );
}

function ended(askId: string, verdicts: (ask: ChatAsk) => string[], { asks }: TelegramContext): AskWrites {
  const ask = asks.find(askName(askId));
  return ask ? { outbox: overRows(ask, verdicts(ask)), state: asks.end(ask) } : {};
}

/** The first verdict wins: the outbox ignores later rows with the same key. */
export function overRows(ask: ChatAsk, verdicts: readonly string[]): NewOutboxRow[] {
  return verdicts.flatMap((verdict, part) => changedRows(ask, part, `ask-over:${ask.event}:${part}`, verdict));
}

/** In every place that shows the ask. */
export function changedRows(
  ask: ChatAsk,
  part: number,
  key: string,
  words: string | null,
  buttons?: Keyboard,
): NewOutboxRow[] {
  const text = ask.texts[part] ?? "";
  const markdown = words === null ? text : `${text}\n\n${words}`;
  return ask.places.map((place) => {
    const edit = { kind: "edit" as const, of: messageKey(ask, part, place), markdown };
    return row(place, `${key}:${place.key}`, buttons ? { ...edit, buttons } : edit);
  });
}
