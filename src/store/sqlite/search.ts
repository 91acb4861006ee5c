/** Turns what people type into a search box into a safe full-text query. */

/** Every word must occur; the last one may be a prefix. Null if there is no word. */
export function wordsQuery(typed: string): string | null {
  const words = typed.normalize("NFC").match(/[\p{L}\p{N}\p{M}]+/gu);
  return words ? words.map((word, place) => `"${word}"${place === words.length - 1 ? "*" : ""}`).join(" ") : null;
}
