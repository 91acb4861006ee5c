/**
 * The transcripts of sessions, as slices. A session has no file before its first prompt; that it was prompted is noted
 * before that, so that one whose file is missing later is known to be lost.
 */
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../../clock.ts";
import type { TranscriptSlice } from "../../../core/transcript/transcript.ts";
import { latest } from "../../latest.ts";
import type { RowFile } from "../../process-pool/transcript-file.ts";
import { KeptFiles } from "../../process-pool/transcript-file-cache.ts";
import { reopenUnfinishedTurns } from "../../process-pool/unfinished-turns.ts";
import type { StdioClient, TurnResult } from "../process/stdio-client.ts";
import { findTranscript } from "./find-transcript.ts";
import { forkTranscript } from "./fork-transcript.ts";
import { TranscriptReader } from "./transcript-reader.ts";

export type TranscriptsOptions = { configDirectory: string; notes: string; clock: Clock };

export type SessionState = {
  /** The program that has it, if one of ours does. */
  conversation: StdioClient | null;
  /** A program of an earlier run still works on it. */
  leftBehind: boolean;
};

/** The rest of a turn may reach the file a moment after the program said that it ended. */
const settleMs = 2000;
const settleLookMs = 20;
/** Sessions of which the last word is kept. */
const maxKept = 32;

export class Transcripts {
  readonly #options: TranscriptsOptions;
  readonly #files = new KeptFiles(() => new TranscriptReader());
  readonly #results = new Map<string, TurnResult>();

  constructor(options: TranscriptsOptions) {
    this.#options = options;
  }

  isThere(directory: string, sessionId: string): boolean {
    return findTranscript(this.#options.configDirectory, directory, sessionId) !== null;
  }

  async fork(directory: string, sessionId: string, before: string | null): Promise<string> {
    const path = findTranscript(this.#options.configDirectory, directory, sessionId);
    // Nothing was said yet.
    if (path === null && before === null) return randomUUID();
    const forked = await forkTranscript(path ?? "", before);
    if (forked.isThere) this.notePrompted(forked.sessionId);
    return forked.sessionId;
  }

  /** Before the first prompt of a session. */
  notePrompted(sessionId: string): void {
    const { notes } = this.#options;
    mkdirSync(notes, { recursive: true, mode: 0o700 });
    writeFileSync(join(notes, sessionId), "", { flush: true });
  }

  wasPrompted(sessionId: string): boolean {
    return existsSync(join(this.#options.notes, sessionId));
  }

  /** What the program says at the end of a turn and does not write down. Only the newest is of interest. */
  turnEnded(sessionId: string, result: TurnResult): void {
    this.#results.delete(sessionId);
    this.#results.set(sessionId, result);
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= maxKept) break;
      this.#results.delete(oldest);
    }
  }

  async slice(
    directory: string,
    sessionId: string,
    limit: number | null,
    { conversation, leftBehind }: SessionState,
  ): Promise<TranscriptSlice> {
    // Asked first: what is at rest now, and is read afterwards, is whole.
    const busy = leftBehind || conversation?.isWorking === true;
    const asks = (conversation?.asks ?? []).map(({ id, kind, title, askedAt }) => ({
      id,
      kind,
      sessionId,
      title,
      askedAt,
    }));
    const status = busy ? "busy" : "idle";
    const file = this.#file(directory, sessionId);
    const book = file && (await this.#read(file, busy ? null : (conversation?.newestRow ?? null)));
    // A file without a conversation in it is no use to the program either: it can neither go on in it nor begin it.
    if (!book || book.size === 0) {
      const isLost = !busy && this.wasPrompted(sessionId);
      return { sessionId, status: isLost ? "stale" : status, asks, rows: [], complete: true, lastActivityAt: null };
    }
    const result = this.#results.get(sessionId);
    if (result && !busy) book.ended(result);
    const rows = book.newest(limit);
    return {
      sessionId,
      status,
      asks,
      rows: busy ? rows : reopenUnfinishedTurns(rows),
      complete: rows.length === book.size,
      lastActivityAt: latest(book.lastActivityAt, conversation?.lastWordAt ?? null),
    };
  }

  async #read(file: RowFile<TranscriptReader>, awaited: string | null) {
    const { clock } = this.#options;
    const until = clock.now() + settleMs;
    for (;;) {
      const book = await file.refresh();
      if (awaited === null || book.has(awaited) || clock.now() >= until) return book;
      await new Promise<void>((resolve) => void clock.at(clock.now() + settleLookMs, resolve));
    }
  }

  #file(directory: string, sessionId: string): RowFile<TranscriptReader> | null {
    const path = findTranscript(this.#options.configDirectory, directory, sessionId);
    if (path === null) {
      this.#files.forget(sessionId);
      return null;
    }
    return this.#files.of(sessionId, path);
  }
}
