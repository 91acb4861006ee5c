/** Fuzzy filter: which items match the typed text, best first. Pure. */

/** `keywords`: other words that find it. */
export type Filterable = { label: string; keywords?: string };

export type FilterGroup<T extends Filterable> = { title: string; items: readonly T[] };

/** Every word must match. Without words all match, in their own order. */
export function filterItems<T extends Filterable>(items: readonly T[], typed: string): T[] {
  return ranked(items, typed).map(({ item }) => item);
}

/** Like `filterItems` for each group; the group with the best match comes first, and empty groups are left out. */
export function filterGroups<T extends Filterable>(groups: readonly FilterGroup<T>[], typed: string): FilterGroup<T>[] {
  return groups
    .map(({ title, items }) => ({ title, found: ranked(items, typed) }))
    .filter(({ found }) => found.length > 0)
    .sort((one, other) => (other.found[0]?.rank ?? 0) - (one.found[0]?.rank ?? 0))
    .map(({ title, found }) => ({ title, items: found.map(({ item }) => item) }));
}

function ranked<T extends Filterable>(items: readonly T[], typed: string): { item: T; rank: number }[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return items
    .map((item) => ({ item, rank: rankOf(item, words) }))
    .filter(({ rank }) => rank >= 0)
    .sort((one, other) => other.rank - one.rank);
}

/** Higher is better; below zero if a word does not match. */
function rankOf({ label, keywords = "" }: Filterable, words: readonly string[]): number {
  const ranks = words.map((word) => rankOfWord(word, label.toLowerCase(), keywords.toLowerCase()));
  if (ranks.some((rank) => rank === 0)) return -1;
  return ranks.reduce((sum, rank) => sum + rank, 0) / Math.max(1, words.length);
}

function rankOfWord(word: string, label: string, keywords: string): number {
  if (label.startsWith(word)) return 5;
  if (beginsAWord(word, label)) return 4;
  if (label.includes(word)) return 3;
  if (beginsAWord(word, keywords)) return 2;
  return word.length > 1 && isSubsequence(word, label) ? 1 : 0;
}

function beginsAWord(word: string, text: string): boolean {
  return text.split(/[^\p{L}\p{N}]+/u).some((one) => one.startsWith(word));
}

/** The letters occur in this order, with others in between. */
function isSubsequence(word: string, text: string): boolean {
  let from = 0;
  for (const letter of word) {
    const at = text.indexOf(letter, from);
    if (at === -1) return false;
    from = at + letter.length;
  }
  return true;
}
