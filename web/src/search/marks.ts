/** Marks the words that the daemon's search matched. The text is split, never turned into markup. Pure. */

const wordPattern = /[\p{L}\p{N}\p{M}]+/gu;

export type MarkedPart = { text: string; isMatch: boolean };

/** All but the last are whole words; the last one may be the beginning of one. */
export type SearchedWords = { whole: ReadonlySet<string>; beginning: string };

/** Null if it contains no word. */
export function searchedWords(typed: string): SearchedWords | null {
  const words = (typed.normalize("NFC").match(wordPattern) ?? []).map(folded);
  const beginning = words.pop();
  return beginning === undefined ? null : { whole: new Set(words), beginning };
}

export function markedParts(text: string, words: SearchedWords | null): MarkedPart[] {
  const parts: MarkedPart[] = [];
  let from = 0;
  for (const { 0: word, index } of words ? text.matchAll(wordPattern) : []) {
    if (!words || !isSearched(word, words)) continue;
    if (index > from) parts.push({ text: text.slice(from, index), isMatch: false });
    parts.push({ text: word, isMatch: true });
    from = index + word.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), isMatch: false });
  return parts;
}

function isSearched(word: string, { whole, beginning }: SearchedWords): boolean {
  const plain = folded(word);
  return whole.has(plain) || plain.startsWith(beginning);
}

/** Case and accents are ignored. */
function folded(word: string): string {
  return word
    .normalize("NFD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase();
}

/** On one line, starting shortly before the first match. */
export function excerptOf(text: string, words: SearchedWords | null, maxCharacters: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line.length <= maxCharacters) return line;
  const lead = Math.floor(maxCharacters / 4);
  const wanted = Math.min(Math.max(0, firstMatch(line, words) - lead), line.length - maxCharacters);
  const start = wanted === 0 ? 0 : beginOfWord(line, wanted, lead);
  const end = Math.min(line.length, start + maxCharacters);
  return `${start > 0 ? "…" : ""}${line.slice(start, end)}${end < line.length ? "…" : ""}`;
}

function firstMatch(line: string, words: SearchedWords | null): number {
  for (const { 0: word, index } of words ? line.matchAll(wordPattern) : []) {
    if (words && isSearched(word, words)) return index;
  }
  return 0;
}

/** Avoids starting in the middle of a word if the next one begins nearby. */
function beginOfWord(line: string, from: number, nearby: number): number {
  const space = line.indexOf(" ", from);
  return space === -1 || space - from >= nearby ? from : space + 1;
}
