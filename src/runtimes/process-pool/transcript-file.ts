/**
 * The transcript that an agent program keeps of a session, with one JSON row per line. Reading continues where it
 * stopped last time. A file that was truncated or replaced is read from its beginning.
 */
import { open } from "node:fs/promises";
import type { Json } from "../json-fields.ts";
import { jsonIn } from "../json-fields.ts";

const chunkBytes = 1024 * 1024;
const newline = 0x0a;

/** Receives the rows in file order. */
export type RowReader = { add(row: Json): void };

export class TranscriptFile<R extends RowReader> {
  readonly path: string;
  reader: R;
  readonly #createReader: () => R;
  #offset = 0;
  #inode: bigint | null = null;
  /** The beginning of a row that is not complete yet. */
  #rest: Buffer = Buffer.alloc(0);
  #reading: Promise<void> | null = null;

  constructor(path: string, createReader: () => R) {
    this.path = path;
    this.#createReader = createReader;
    this.reader = createReader();
  }

  /** Reads new rows. One read at a time: a caller that arrives during a read waits and then reads again. */
  async refresh(): Promise<R> {
    while (this.#reading) await this.#reading;
    this.#reading = this.#readNew().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
    return this.reader;
  }

  async #readNew(): Promise<void> {
    const file = await open(this.path, "r");
    try {
      const { ino, size } = await file.stat({ bigint: true });
      if (this.#inode !== ino || size < BigInt(this.#offset)) this.#restart(ino);
      const buffer = Buffer.alloc(chunkBytes);
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, chunkBytes, this.#offset);
        if (bytesRead === 0) return;
        this.#offset += bytesRead;
        this.#split(Buffer.concat([this.#rest, buffer.subarray(0, bytesRead)]));
      }
    } finally {
      await file.close();
    }
  }

  #restart(inode: bigint): void {
    this.reader = this.#createReader();
    this.#inode = inode;
    this.#offset = 0;
    this.#rest = Buffer.alloc(0);
  }

  #split(bytes: Buffer): void {
    let from = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, from)) {
      const row = rowIn(bytes.toString("utf8", from, end));
      if (row) this.reader.add(row);
      from = end + 1;
    }
    this.#rest = Buffer.from(bytes.subarray(from));
  }
}

/** How many start positions to try in a broken line, from its end. */
const maxTries = 200;

/**
 * A crash can cut off a row, and the next process appends its own row to the same line. The complete JSON at the end of
 * the line is that row. If nothing was appended, it may be part of the broken row, which readers ignore.
 */
function rowIn(line: string): Json | null {
  let row = jsonIn(line);
  let start = line.length;
  for (let tries = 0; row === null && start > 0 && tries < maxTries; tries += 1) {
    start = line.lastIndexOf('{"', start - 1);
    row = start > 0 ? jsonIn(line.slice(start)) : null;
  }
  return row;
}

/** Sets an entry as the newest of a map, and drops the oldest entries if there are too many. */
export function setNewest<K, V>(map: Map<K, V>, key: K, value: V, maxEntries: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= maxEntries) break;
    map.delete(oldest);
  }
}

const maxFiles = 32;

/** The most recently read transcript files, with their readers. Any other file is read from its beginning. */
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
