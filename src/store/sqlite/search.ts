/** What people type into a search box, as a query that can neither fail nor mean something else. */

/** Every word must have been said; the last one may be the beginning of a word. Null when there is no word in it. */
export function wordsQuery(typed: string): string | null {
  const words = typed.normalize("NFC").match(/[\p{L}\p{N}\p{M}]+/gu);
  return words ? words.map((word, place) => `"${word}"${place === words.length - 1 ? "*" : ""}`).join(" ") : null;
}
