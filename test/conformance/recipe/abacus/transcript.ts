/** Abacus's transcripts, as slices. A marker is written before the first prompt, so a marked session without a file is lost. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TranscriptSlice } from "../../../../src/core/transcript/transcript.ts";
import { jsonLines } from "../../../../src/runtimes/json-fields.ts";
import { SessionMarkers } from "../../../../src/runtimes/process-pool/session-files.ts";
import type { SessionProcess } from "../../../../src/runtimes/process-pool/transcript-slice.ts";
import { transcriptSlice } from "../../../../src/runtimes/process-pool/transcript-slice.ts";
import type { AbacusClient } from "./client.ts";
import { rowIn } from "./lines.ts";

export class Transcripts {
  readonly #directory: string;
  readonly #markers: SessionMarkers;

  constructor(directory: string) {
    this.#directory = directory;
    this.#markers = new SessionMarkers(directory);
  }

  pathOf(sessionId: string): string {
    return join(this.#directory, `${sessionId}.jsonl`);
  }

  exists(sessionId: string): boolean {
    return existsSync(this.pathOf(sessionId));
  }

  markPrompted(sessionId: string): void {
    this.#markers.write(`${sessionId}.prompted`);
  }

  async slice(
    sessionId: string,
    limit: number | null,
    { client, isOrphaned }: SessionProcess<AbacusClient>,
  ): Promise<TranscriptSlice> {
    // Check this before reading: if the session is idle now, the file that is read afterwards is complete.
    const isBusy = isOrphaned || client?.isWorking === true;
    const isLost = !isBusy && !this.exists(sessionId) && this.#markers.has(`${sessionId}.prompted`);
    const all = this.exists(sessionId) ? jsonLines(await readFile(this.pathOf(sessionId), "utf8")).map(rowIn) : [];
    return transcriptSlice(client, {
      sessionId,
      status: isLost ? "stale" : isBusy ? "busy" : "idle",
      rows: limit === null ? all : all.slice(-limit),
      complete: limit === null || all.length <= limit,
      lastActivityAt: all.at(-1)?.createdAt ?? null,
    });
  }
}
