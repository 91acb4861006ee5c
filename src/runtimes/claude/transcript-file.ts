/**
 * The transcript that Claude Code keeps of a session, one row of JSON a line. Read on from where the last reading
 * ended. A file that got shorter, or is another one, is read from its beginning.
 */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { jsonIn } from "./json-fields.ts";
import { TranscriptBook } from "./transcript-book.ts";

const chunkBytes = 1024 * 1024;
const newline = 0x0a;

/** Where the transcript of a session stands, or null while there is none. */
export function findTranscript(configDirectory: string, directory: string, sessionId: string): string | null {
  const projects = join(configDirectory, "projects");
  const usual = join(projects, folderOf(directory), `${sessionId}.jsonl`);
  if (existsSync(usual)) return usual;
  // Very long names are shortened, and a session stays where it began when its directory has moved.
  const folders = existsSync(projects) ? readdirSync(projects) : [];
  return folders.map((folder) => join(projects, folder, `${sessionId}.jsonl`)).find((path) => existsSync(path)) ?? null;
}

function folderOf(directory: string): string {
  const real = existsSync(directory) ? realpathSync(directory) : directory;
  return real.replace(/[^a-zA-Z0-9]/g, "-");
}

export class TranscriptFile {
  readonly path: string;
  book = new TranscriptBook();
  #read = 0;
  #inode: bigint | null = null;
  /** The beginning of a row whose end is not there yet. */
  #rest: Buffer = Buffer.alloc(0);
  #reading: Promise<void> | null = null;

  constructor(path: string) {
    this.path = path;
  }

  /** Reads what is new. One at a time: whoever comes while it is read waits for the next reading. */
  async refresh(): Promise<TranscriptBook> {
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
    this.book = new TranscriptBook();
    this.#inode = inode;
    this.#read = 0;
    this.#rest = Buffer.alloc(0);
  }

  #take(bytes: Buffer): void {
    let from = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, from)) {
      // A row that a crash cut in two is no row; what follows it stands for itself.
      const row = jsonIn(bytes.toString("utf8", from, end));
      if (row) this.book.take(row);
      from = end + 1;
    }
    this.#rest = Buffer.from(bytes.subarray(from));
  }
}
