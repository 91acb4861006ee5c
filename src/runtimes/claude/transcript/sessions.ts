/**
 * The transcripts of Claude Code's sessions, as slices. A session has no file before its first prompt. A marker is
 * written before that prompt is sent, so a marked session without a file is lost.
 */
import { randomUUID } from "node:crypto";
import type { TranscriptSlice } from "../../../core/transcript/transcript.ts";
import type { Clock } from "../../../platform/clock.ts";
import { listSessionFiles, SessionMarkers } from "../../process-pool/session-files.ts";
import type { TranscriptFile } from "../../process-pool/transcript-file.ts";
import { setNewest, TranscriptFileCache } from "../../process-pool/transcript-file.ts";
import type { SessionProcess } from "../../process-pool/transcript-slice.ts";
import { transcriptSlice } from "../../process-pool/transcript-slice.ts";
import type { StdioClient } from "../client.ts";
import type { TurnResult } from "../lines.ts";
import { findTranscript, forkTranscript, sessionOfTranscript, transcriptFolders } from "./files.ts";
import { TranscriptReader } from "./reader.ts";

export type TranscriptsOptions = { configDirectory: string; markers: string; clock: Clock };

/** The end of a turn may reach the file a moment after the program reported it. */
const settleMs = 2000;
const settlePollMs = 20;
const maxResults = 32;

export class Transcripts {
  readonly #options: TranscriptsOptions;
  readonly #files = new TranscriptFileCache(() => new TranscriptReader());
  /** By session: the result of its newest turn. */
  readonly #results = new Map<string, TurnResult>();
  readonly #markers: SessionMarkers;

  constructor(options: TranscriptsOptions) {
    this.#options = options;
    this.#markers = new SessionMarkers(options.markers);
  }

  exists(directory: string, sessionId: string): boolean {
    return this.#path(directory, sessionId) !== null;
  }

  /** Most recently changed first. */
  sessionsIn(directory: string, since: number): Promise<string[]> {
    const folders = transcriptFolders(this.#options.configDirectory, directory);
    return listSessionFiles({ folders, sessionOf: sessionOfTranscript, directory, since });
  }

  async fork(directory: string, sessionId: string, before: string | null): Promise<string> {
    const path = this.#path(directory, sessionId);
    // The session has no prompt yet.
    if (path === null && before === null) return randomUUID();
    const forked = await forkTranscript(path ?? "", before);
    if (forked.hasFile) this.markPrompted(forked.sessionId);
    return forked.sessionId;
  }

  /** Called before the first prompt of a session. */
  markPrompted(sessionId: string): void {
    this.#markers.write(sessionId);
  }

  /** Keeps the report at the end of a turn, which the program does not write to its file. */
  turnEnded(sessionId: string, result: TurnResult): void {
    setNewest(this.#results, sessionId, result, maxResults);
  }

  async slice(
    directory: string,
    sessionId: string,
    limit: number | null,
    { client, isOrphaned }: SessionProcess<StdioClient>,
  ): Promise<TranscriptSlice> {
    // Check this before reading: if the session is idle now, the file that is read afterwards is complete.
    const busy = isOrphaned || client?.isWorking === true;
    const status = busy ? "busy" : "idle";
    const file = this.#file(directory, sessionId);
    const reader = file && (await this.#read(file, busy ? null : (client?.newestRow ?? null)));
    // The program can neither resume nor start a session if its file contains no conversation.
    if (!reader || reader.size === 0) {
      const isLost = !busy && this.#markers.has(sessionId);
      const empty = { rows: [], complete: true, lastActivityAt: null };
      return transcriptSlice(client, { sessionId, status: isLost ? "stale" : status, ...empty });
    }
    const result = this.#results.get(sessionId);
    if (result && !busy) reader.turnEnded(result);
    const rows = reader.newest(limit);
    const complete = rows.length === reader.size;
    return transcriptSlice(client, { sessionId, status, rows, complete, lastActivityAt: reader.lastActivityAt });
  }

  async #read(file: TranscriptFile<TranscriptReader>, awaitedRow: string | null) {
    const { clock } = this.#options;
    const deadline = clock.now() + settleMs;
    for (;;) {
      const reader = await file.refresh();
      if (awaitedRow === null || reader.has(awaitedRow) || clock.now() >= deadline) return reader;
      await new Promise<void>((resolve) => void clock.at(clock.now() + settlePollMs, resolve));
    }
  }

  #file(directory: string, sessionId: string): TranscriptFile<TranscriptReader> | null {
    const path = this.#path(directory, sessionId);
    if (path !== null) return this.#files.open(sessionId, path);
    this.#files.remove(sessionId);
    return null;
  }

  #path(directory: string, sessionId: string): string | null {
    return findTranscript(this.#options.configDirectory, directory, sessionId);
  }
}
