/**
 * The open items of a lane, for a reader that joins mid-turn: deltas are not kept, so the text so far is stored
 * nowhere else. Pure.
 */
import { bounds, maxEventCharacters, shrunk } from "./bounded-event.ts";
import type { Item } from "./item.ts";
import { growingText } from "./item.ts";

/** A text that is not shown in full, and its full length: the next delta starts there. */
export type CutText = { item: string; part: string; length: number };

export type LiveTurn = {
  /** The number of the running turn. */
  turn: number | null;
  /** Also null for a turn so long that its start is no longer kept. */
  startedAt: number | null;
  /** The open items, oldest first, with their content so far. */
  items: Item[];
  cut: CutText[];
};

/**
 * Limits it to the size of an event: first long texts are cut, then shorter ones, and finally all parts are dropped.
 */
export function boundedTurn(live: LiveTurn): LiveTurn {
  const { items } = live;
  if (fits(items)) return live;
  for (const bound of bounds) {
    const shorter = items.map((item) => shrunk(item, bound, 0) as Item);
    if (fits(shorter)) return { ...live, items: shorter, cut: cutTexts(items, shorter) };
  }
  const empty = items.map((item) => ({ ...item, parts: [] }));
  return { ...live, items: empty, cut: cutTexts(items, empty) };
}

function fits(items: readonly Item[]): boolean {
  return JSON.stringify(items).length <= maxEventCharacters;
}

function cutTexts(whole: readonly Item[], shorter: readonly Item[]): CutText[] {
  return whole.flatMap(({ id: item, parts }, index) =>
    parts.flatMap((one, place) => {
      const said = growingText(one);
      const shown = shorter[index]?.parts[place];
      if (!said || (shown && growingText(shown)?.text === said.text)) return [];
      return [{ item, part: said.part, length: said.text.length }];
    }),
  );
}
