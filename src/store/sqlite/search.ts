/** Finds messages by their words: what people type as a query that can neither fail nor mean something else, and the index. */
import type Database from "better-sqlite3";

/** Every word must have been said; the last one may be the beginning of a word. Null when there is no word in it. */
export function wordsQuery(typed: string): string | null {
  const words = typed.normalize("NFC").match(/[\p{L}\p{N}\p{M}]+/gu);
  return words ? words.map((word, place) => `"${word}"${place === words.length - 1 ? "*" : ""}`).join(" ") : null;
}

/** Making words searchable costs more than storing them, and costs less for many messages at a time. */
const batch = 500;

/** Must be called in a transaction. */
export function searchIndex(db: Database.Database) {
  const indexed = db.prepare<[], number>("SELECT searchable_seq FROM store_state").pluck();
  const reached = db.prepare<[], number>("SELECT coalesce(max(seq), 0) FROM message").pluck();
  const add = db.prepare<[number, number]>(`
    INSERT INTO message_words (rowid, text, summary)
    SELECT seq, body ->> '$.text', body ->> '$.summary' FROM message WHERE seq > ? AND seq <= ?`);
  const remember = db.prepare<[number]>("UPDATE store_state SET searchable_seq = ?");

  const catchUp = (): void => {
    const [from, to] = [indexed.get() ?? 0, reached.get() ?? 0];
    if (to === from) return;
    add.run(from, to);
    remember.run(to);
  };
  return {
    catchUp,
    isBehind: (): boolean => (reached.get() ?? 0) > (indexed.get() ?? 0),
    /** To be told of every new message. */
    added(seq: number): void {
      if (seq % batch === 0) catchUp();
    },
  };
}
