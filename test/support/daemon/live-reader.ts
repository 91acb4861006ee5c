/**
 * A client that shows the texts of open items, following docs/events.md: it starts with the open items, adds deltas by their
 * offsets, and reports when it has to load the open items again.
 */
import type { Item } from "../../../src/core/turn/item.ts";
import { growingText } from "../../../src/core/turn/item.ts";
import type { EventBody } from "../../../src/core/turn/universal-event.ts";

export type ShownText = {
  text: string;
  /** The length of the whole text; more than it holds if the text was cut. */
  length: number;
  /** False once a delta arrived whose position is unknown. */
  isExact: boolean;
};

type Open = { items: readonly Item[]; cut: readonly { item: string; part: string; length: number }[] };

export class LiveReader {
  /** By item and part. */
  readonly texts = new Map<string, ShownText>();
  readonly completed = new Map<string, Item>();

  /** The open items. The beginning of a missing text may be unknown. */
  join({ items, cut }: Open): void {
    for (const { id, parts } of items.filter((item) => !this.completed.has(item.id))) {
      for (const said of parts.map(growingText)) {
        if (!said) continue;
        const length = cut.find(({ item, part }) => item === id && part === said.part)?.length ?? said.text.length;
        this.texts.set(keyOf(id, said.part), { text: said.text, length, isExact: true });
      }
    }
  }

  /** True if something is missing: `join` fixes it. */
  take(event: { type: string }): boolean {
    const { type, data } = event as EventBody;
    if (type === "item.completed") this.completed.set(data.item.id, data.item);
    return type === "item.delta" && this.#add(data);
  }

  #add({ item, part, text, offset }: Extract<EventBody, { type: "item.delta" }>["data"]): boolean {
    const key = keyOf(item, part);
    const shown = this.texts.get(key) ?? { text: "", length: 0, isExact: true };
    if (offset === undefined) {
      this.texts.set(key, { text: shown.text + text, length: shown.length + text.length, isExact: false });
      return false;
    }
    if (!shown.isExact || offset > shown.length) return true;
    const added = text.slice(shown.length - offset);
    this.texts.set(key, { ...shown, text: shown.text + added, length: shown.length + added.length });
    return false;
  }
}

export function keyOf(item: string, part: string): string {
  return `${item}/${part}`;
}
