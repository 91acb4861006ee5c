/**
 * The transcript that an agent program keeps of a session, one row of JSON a line, as a book that is made of the rows.
 * Read on from where the last reading ended. A file that got shorter, or is another one, is read from its beginning.
 */
import { open } from "node:fs/promises";
import type { Json } from "../json-fields.ts";
import { jsonIn } from "../json-fields.ts";

const chunkBytes = 1024 * 1024;
const newline = 0x0a;

/** What is made of the rows, one after the other. */
export type Book = { take(row: Json): void };

export class RowFile<B extends Book> {
  readonly path: string;
  book: B;
  readonly #newBook: () => B;
  #read = 0;
  #inode: bigint | null = null;
  /** The beginning of a row whose end is not there yet. */
  #rest: Buffer = Buffer.alloc(0);
  #reading: Promise<void> | null = null;

  constructor(path: string, newBook: () => B) {
    this.path = path;
    this.#newBook = newBook;
    this.book = newBook();
  }

  /** Reads what is new. One at a time: whoever comes while it is read waits for the next reading. */
  async refresh(): Promise<B> {
    while (this.#reading) await this.#reading;
    this.#reading = this.#readOn().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
    return this.book;
  }

  async #readOn(): Promise<void> {
    const file = await open(this.path, "r");
    try {
      const { ino, size } = await file.stat({ bigint: true });
      if (this.#inode !== ino || size < BigInt(this.#read)) this.#startOver(ino);
      const buffer = Buffer.alloc(chunkBytes);
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, chunkBytes, this.#read);
        if (bytesRead === 0) return;
        this.#read += bytesRead;
        this.#take(Buffer.concat([this.#rest, buffer.subarray(0, bytesRead)]));
      }
    } finally {
      await file.close();
    }
  }

  #startOver(inode: bigint): void {
    this.book = this.#newBook();
    this.#inode = inode;
    this.#read = 0;
    this.#rest = Buffer.alloc(0);
  }

  #take(bytes: Buffer): void {
    let from = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, from)) {
      const row = rowIn(bytes.toString("utf8", from, end));
      if (row) this.book.take(row);
      from = end + 1;
    }
    this.#rest = Buffer.from(bytes.subarray(from));
  }
}

/** A broken line is looked at from its end, so many times. */
const maxTries = 200;

/**
 * A row that a crash cut in two is no row. Whoever goes on in the file may write behind it, in the same line: what is
 * whole from somewhere to the line's end is that row. Where nothing follows it may be a part of the broken one, which has
 * no place in the file's order and says nothing to a book.
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
