/** Edits the messages of an ask: removes the buttons and adds the decision. Pure. */
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import type { Keyboard } from "../outgoing/chat-row.ts";
import { row } from "../outgoing/say.ts";
import type { ChatAsk } from "./chat-ask.ts";
import { messageKey } from "./chat-ask.ts";

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
