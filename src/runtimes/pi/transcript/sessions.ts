/**
 * pi's sessions, as slices: the rows of the session file, and the messages that the process has reported but not
 * written yet. pi writes nothing before the first answer. Markers remember two things across restarts: that a file
 * existed, so that a missing file means a lost session; and which prompt was sent last, so that none is sent twice.
 */
import { randomUUID } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { TranscriptSlice } from "../../../core/transcript/transcript.ts";
import { AppError } from "../../../platform/app-error.ts";
import { writeWholeFile } from "../../../platform/whole-file.ts";
import { jsonLines } from "../../json-fields.ts";
import type { ForkedSession, Prompt } from "../../port.ts";
import { listSessionFiles, SessionMarkers } from "../../process-pool/session-files.ts";
import type { TranscriptFile } from "../../process-pool/transcript-file.ts";
import { TranscriptFileCache } from "../../process-pool/transcript-file.ts";
import type { SessionProcess } from "../../process-pool/transcript-slice.ts";
import { transcriptSlice } from "../../process-pool/transcript-slice.ts";
import type { RpcClient } from "../client.ts";
import type { SessionFolders } from "./files.ts";
import { copyOfSession, sessionFile, sessionOfFile } from "./files.ts";
import { SessionReader } from "./reader.ts";

export class PiSessions {
  readonly #folders: SessionFolders;
  readonly #markers: SessionMarkers;
  readonly #files = new TranscriptFileCache((sessionId) => new SessionReader(sessionId));

  constructor(folders: SessionFolders, markers: string) {
    this.#folders = folders;
    this.#markers = new SessionMarkers(markers);
  }

  pathOf(directory: string, sessionId: string): string {
    return this.#file(directory, sessionId).path;
  }

  exists(directory: string, sessionId: string): boolean {
    return existsSync(this.pathOf(directory, sessionId));
  }

  /** Most recently changed first. */
  sessionsIn(directory: string, since: number): Promise<string[]> {
    const folders = [this.#folders.folderOf(directory)];
    return listSessionFiles({ folders, sessionOf: sessionOfFile, directory, since });
  }

  /** The working directory of the session; null while it is unknown. */
  async directoryOf(directory: string, sessionId: string): Promise<string | null> {
    return (await this.#read(directory, sessionId))?.directory ?? null;
  }

  /** True if this prompt was the last one sent and the session has it. Otherwise marks it as sent. */
  async prepareSend(directory: string, { sessionId, messageId, text }: Prompt, client: RpcClient): Promise<boolean> {
    const marker = `${sessionId}.sent`;
    if (this.#markers.read(marker) === messageId) {
      const reader = (await this.#read(directory, sessionId)) ?? new SessionReader(sessionId);
      if (reader.newestPrompt(client.messages) === text) return true;
    }
    this.#markers.write(marker, messageId);
    return false;
  }

  /** Copies the session up to a prompt, or all of it, under a new id. */
  async fork(directory: string, sessionId: string, before: string | null, at: number): Promise<ForkedSession> {
    const to = randomUUID();
    const path = this.pathOf(directory, sessionId);
    // The session has no messages yet.
    if (before === null && !existsSync(path)) return { sessionId: to, renamed: new Map() };
    const rows = jsonLines(await readFile(path, "utf8"));
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
    { client, isOrphaned }: SessionProcess<RpcClient>,
  ): Promise<TranscriptSlice> {
    // Check before and after: the file is complete if the session is idle now and no turn starts during the read.
    const isWorking = () => client?.isWorking === true;
    const wasBusy = isOrphaned || isWorking();
    const messages = client?.messages ?? [];
    const reader = await this.#read(directory, sessionId);
    const busy = wasBusy || isWorking();
    const isLost = reader === null && !busy && this.#markers.has(`${sessionId}.written`);
    const isElsewhere = reader !== null && worksElsewhere(reader, directory);
    return transcriptSlice(client, {
      sessionId,
      status: isLost ? "stale" : client?.isRetrying ? "retry" : busy ? "busy" : "idle",
      ...(isElsewhere ? { elsewhere: true } : {}),
      ...(reader ?? new SessionReader(sessionId)).newest(limit, isLost ? [] : messages),
      lastActivityAt: reader?.lastActivityAt ?? null,
    });
  }

  async #read(directory: string, sessionId: string): Promise<SessionReader | null> {
    const file = this.#file(directory, sessionId);
    if (!existsSync(file.path)) {
      this.#files.remove(sessionId);
      return null;
    }
    const marker = `${sessionId}.written`;
    if (!this.#markers.has(marker)) this.#markers.write(marker);
    return file.refresh();
  }

  #file(directory: string, sessionId: string): TranscriptFile<SessionReader> {
    const cached = this.#files.pathOf(sessionId);
    const isCurrent = cached !== null && existsSync(cached);
    return this.#files.open(sessionId, isCurrent ? cached : sessionFile(this.#folders, directory, sessionId));
  }
}

/** pi continues a session in the directory where it began, wherever pi is started. */
function worksElsewhere(reader: SessionReader, directory: string): boolean {
  return reader.directory !== null && existsSync(directory) && realpathSync(directory) !== reader.directory;
}

function promptUnknown(sessionId: string): AppError {
  return new AppError({
    code: "message_unknown",
    message: `pi's session "${sessionId}" does not contain that message.`,
    hint: "Fork at a later message, or name none to fork the whole session.",
  });
}
