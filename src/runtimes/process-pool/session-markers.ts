/**
 * What has to be known of a session beside its file, also after a restart: that there was a file, so that one which is
 * missing later is known to be lost, and which prompt was sent last, so that none is sent twice.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export class SessionNotes {
  readonly #directory: string;
  readonly #written = new Set<string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  noteWritten(sessionId: string): void {
    if (this.wasWritten(sessionId)) return;
    this.#write(`${sessionId}.written`, "");
    this.#written.add(sessionId);
  }

  wasWritten(sessionId: string): boolean {
    return this.#written.has(sessionId) || existsSync(this.#path(`${sessionId}.written`));
  }

  /** Before it is sent. */
  noteSent(sessionId: string, messageId: string): void {
    this.#write(`${sessionId}.sent`, messageId);
  }

  lastSent(sessionId: string): string | null {
    const path = this.#path(`${sessionId}.sent`);
    return existsSync(path) ? readFileSync(path, "utf8") : null;
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }

  #write(name: string, text: string): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    writeFileSync(this.#path(name), text, { flush: true });
  }
}
