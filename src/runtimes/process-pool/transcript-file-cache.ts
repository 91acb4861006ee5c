/** The most recently read transcript files, with their readers. Any other file is read from its beginning. */
import { setNewest } from "./newest-entries.ts";
import type { RowReader } from "./transcript-file.ts";
import { TranscriptFile } from "./transcript-file.ts";

const maxFiles = 32;

export class TranscriptFileCache<R extends RowReader> {
  readonly #files = new Map<string, TranscriptFile<R>>();
  readonly #createReader: (sessionId: string) => R;

  constructor(createReader: (sessionId: string) => R) {
    this.#createReader = createReader;
  }

  /** If the session's file has moved, its reader starts over. */
  open(sessionId: string, path: string): TranscriptFile<R> {
    const cached = this.#files.get(sessionId);
    const file = cached?.path === path ? cached : new TranscriptFile(path, () => this.#createReader(sessionId));
    setNewest(this.#files, sessionId, file, maxFiles);
    return file;
  }

  pathOf(sessionId: string): string | null {
    return this.#files.get(sessionId)?.path ?? null;
  }

  remove(sessionId: string): void {
    this.#files.delete(sessionId);
  }
}
