/** Finds what changed in a chat since the last read, and numbers every button. Does no I/O. */
import type { ChatView, ShownMessage } from "@waybill/fake-bot-api";

export type NumberedButton = { number: number; text: string; message: number; data: string };

export type ChatChange =
  | {
      type: "message";
      id: number;
      topic: string | null;
      text: string;
      isEdited: boolean;
      file: string | null;
      buttons: readonly NumberedButton[];
    }
  | { type: "reaction"; id: number; emoji: readonly string[] }
  | { type: "deleted"; id: number };

export type ChatReader = {
  changes(view: ChatView): ChatChange[];
  button(number: number): NumberedButton | null;
};

export function chatReader(): ChatReader {
  const seen = new Map<number, { content: string; reactions: string }>();
  const buttons = new Map<string, NumberedButton>();

  const buttonsOf = ({ id, keyboard }: ShownMessage): NumberedButton[] =>
    keyboard.flat().flatMap((button) => {
      if (!("callback_data" in button) || button.callback_data === undefined) return [];
      const key = `${id}:${button.callback_data}`;
      const known = buttons.get(key) ?? { number: buttons.size + 1, message: id, data: button.callback_data, text: "" };
      const numbered = { ...known, text: button.text };
      buttons.set(key, numbered);
      return [numbered];
    });

  const changesOf = (message: ShownMessage, view: ChatView): ChatChange[] => {
    const { id, text, thread, isFromBot, reactions } = message;
    const before = seen.get(id);
    const numbered = isFromBot ? buttonsOf(message) : [];
    const now = { content: JSON.stringify([text, numbered]), reactions: reactions.join(" ") };
    seen.set(id, now);
    const topic = view.topics.find((one) => one.id === thread)?.name ?? null;
    const shown = { type: "message", id, topic, text, isEdited: before !== undefined, buttons: numbered } as const;
    return [
      ...(isFromBot && before?.content !== now.content ? [{ ...shown, file: message.file?.name ?? null }] : []),
      ...((before?.reactions ?? "") === now.reactions ? [] : [{ type: "reaction", id, emoji: reactions } as const]),
    ];
  };

  return {
    changes(view) {
      const present = new Set(view.messages.map(({ id }) => id));
      const gone = [...seen.keys()].filter((id) => !present.has(id));
      for (const id of gone) seen.delete(id);
      const deleted = gone.map((id): ChatChange => ({ type: "deleted", id }));
      return [...deleted, ...view.messages.flatMap((message) => changesOf(message, view))];
    },
    button: (number) => [...buttons.values()].find((button) => button.number === number) ?? null,
  };
}
