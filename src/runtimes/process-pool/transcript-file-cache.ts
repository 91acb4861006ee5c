/** The transcript files that were read last, with what was made of them; another one is read from its beginning. */
import type { Book } from "./transcript-file.ts";
import { RowFile } from "./transcript-file.ts";

const maxKept = 32;

export class KeptFiles<B extends Book> {
  readonly #files = new Map<string, RowFile<B>>();
  readonly #newBook: (sessionId: string) => B;

  constructor(newBook: (sessionId: string) => B) {
    this.#newBook = newBook;
  }

  /** A session whose file stands elsewhere by now has another file. */
  of(sessionId: string, path: string): RowFile<B> {
    const kept = this.#files.get(sessionId);
    const file = kept?.path === path ? kept : new RowFile(path, () => this.#newBook(sessionId));
    this.#files.delete(sessionId);
    this.#files.set(sessionId, file);
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= maxKept) break;
      this.#files.delete(oldest);
    }
    return file;
  }

  pathOf(sessionId: string): string | null {
    return this.#files.get(sessionId)?.path ?? null;
  }

  forget(sessionId: string): void {
    this.#files.delete(sessionId);
  }
}
