/**
 * The sessions of pi, as slices of their transcripts: what stands in a session's file, and what its program has said and
 * not written yet. pi writes nothing before the first answer.
 */
import { randomUUID } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { AppError } from "../../../app-error.ts";
import type { TranscriptSlice } from "../../../core/transcript/transcript.ts";
import { writeWholeFile } from "../../../whole-file.ts";
import type { Json } from "../../json-fields.ts";
import { jsonIn } from "../../json-fields.ts";
import { latest } from "../../latest.ts";
import type { ForkedSession } from "../../port.ts";
import type { SessionNotes } from "../../process-pool/session-markers.ts";
import type { RowFile } from "../../process-pool/transcript-file.ts";
import { KeptFiles } from "../../process-pool/transcript-file-cache.ts";
import { reopenUnfinishedTurns } from "../../process-pool/unfinished-turns.ts";
import type { RpcClient } from "../process/rpc-client.ts";
import { copyOfSession } from "./fork-session.ts";
import type { SessionFolders } from "./session-file.ts";
import { sessionFile } from "./session-file.ts";
import { SessionReader } from "./session-reader.ts";

export type SessionState = {
  /** What is held with the program that has it, if one of ours does. */
  talk: RpcClient | null;
  /** A program of an earlier run still has it. */
  leftBehind: boolean;
};

export class Sessions {
  readonly #folders: SessionFolders;
  readonly #notes: SessionNotes;
  readonly #files = new KeptFiles((sessionId) => new SessionReader(sessionId));

  constructor(folders: SessionFolders, notes: SessionNotes) {
    this.#folders = folders;
    this.#notes = notes;
  }

  pathOf(directory: string, sessionId: string): string {
    return this.#file(directory, sessionId).path;
  }

  isThere(directory: string, sessionId: string): boolean {
    return existsSync(this.pathOf(directory, sessionId));
  }

  /** Where the session works; null where that is not known yet. */
  async directoryOf(directory: string, sessionId: string): Promise<string | null> {
    return (await this.#book(directory, sessionId))?.directory ?? null;
  }

  /** Whether this is the prompt that was sent last, and has arrived. */
  async hasArrived(directory: string, sessionId: string, prompt: { messageId: string; text: string }, talk: RpcClient) {
    if (this.#notes.lastSent(sessionId) !== prompt.messageId) return false;
    const book = (await this.#book(directory, sessionId)) ?? new SessionReader(sessionId);
    return book.newestPrompt(talk.heard) === prompt.text;
  }

  /** What `sessionId` has before a prompt, or all of it, under another id. */
  async fork(directory: string, sessionId: string, before: string | null, at: number): Promise<ForkedSession> {
    const to = randomUUID();
    const path = this.pathOf(directory, sessionId);
    // Nothing was said yet.
    if (before === null && !existsSync(path)) return { sessionId: to, renamed: new Map() };
    const rows = (await readFile(path, "utf8"))
      .split("\n")
      .map(jsonIn)
      .filter((row) => row !== null);
    const copy = copyOfSession(rows, { from: sessionId, to, path, before, at });
    if (!copy) throw promptUnknown(sessionId);
    const lines = copy.rows.map((row) => `${JSON.stringify(row)}\n`);
    if (lines.length > 0) writeWholeFile(sessionFile(this.#folders, directory, to), lines.join(""));
    return { sessionId: to, renamed: copy.renamed };
  }

  async slice(
    directory: string,
    sessionId: string,
    limit: number | null,
    { talk, leftBehind }: SessionState,
  ): Promise<TranscriptSlice> {
    // Asked first: what is at rest now, and is read afterwards, is whole. Unless a turn began in between.
    const isWorking = () => talk?.isWorking === true;
    const wasBusy = leftBehind || isWorking();
    const heard: readonly Json[] = talk?.heard ?? [];
    const book = await this.#book(directory, sessionId);
    const busy = wasBusy || isWorking();
    const status = talk?.isRetrying ? "retry" : busy ? "busy" : "idle";
    const asks = (talk?.asks ?? []).map(({ id, kind, title, askedAt }) => ({ id, kind, sessionId, title, askedAt }));
    const isLost = book === null && !busy && this.#notes.wasWritten(sessionId);
    const { rows, complete } = (book ?? new SessionReader(sessionId)).newest(limit, isLost ? [] : heard);
    return {
      sessionId,
      status: isLost ? "stale" : status,
      ...(book && isElsewhere(book, directory) ? { elsewhere: true } : {}),
      asks,
      rows: busy ? rows : reopenUnfinishedTurns(rows),
      complete,
      lastActivityAt: latest(book?.lastActivityAt ?? null, talk?.lastWordAt ?? null),
    };
  }

  async #book(directory: string, sessionId: string): Promise<SessionReader | null> {
    const file = this.#file(directory, sessionId);
    if (!existsSync(file.path)) {
      this.#files.forget(sessionId);
      return null;
    }
    this.#notes.noteWritten(sessionId);
    return file.refresh();
  }

  #file(directory: string, sessionId: string): RowFile<SessionReader> {
    const kept = this.#files.pathOf(sessionId);
    const isKnown = kept !== null && existsSync(kept);
    return this.#files.of(sessionId, isKnown ? kept : sessionFile(this.#folders, directory, sessionId));
  }
}

/** pi goes on where a session began, wherever it is started. */
function isElsewhere(book: SessionReader, directory: string): boolean {
  return book.directory !== null && existsSync(directory) && realpathSync(directory) !== book.directory;
}

function promptUnknown(sessionId: string): AppError {
  return new AppError({
    code: "message_unknown",
    message: `The session "${sessionId}" of pi does not have that message.`,
    hint: "Name a later message, or none.",
  });
}
