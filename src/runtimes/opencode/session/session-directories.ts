/**
 * Where sessions work. The server keeps what runs and what is asked by directory, and means the one that it wrote down
 * when the session was opened: links are followed, and a lane that moved since left its old sessions behind. Asked for
 * another one it says that everything rests. A session never moves, so each is asked for once.
 */
import { realpath } from "node:fs/promises";
import type { OpencodeApi, Session } from "../server/opencode-api.ts";

export class SessionPlaces {
  readonly #api: OpencodeApi;
  readonly #known = new Map<string, string>();

  constructor(api: OpencodeApi) {
    this.#api = api;
  }

  learn({ id, directory }: Pick<Session, "id" | "directory">): void {
    if (typeof directory === "string") this.#known.set(id, directory);
  }

  forget(sessionId: string): void {
    this.#known.delete(sessionId);
  }

  /** Null for a session that the server does not know. */
  async of(sessionId: string, signal: AbortSignal): Promise<string | null> {
    if (!this.#known.has(sessionId)) {
      const session = await this.#api.session(sessionId, signal);
      if (session) this.learn(session);
    }
    return this.#known.get(sessionId) ?? null;
  }

  /** As far as that is known. */
  async isElsewhere(sessionId: string, directory: string): Promise<boolean> {
    const place = this.#known.get(sessionId);
    return place !== undefined && place !== directory && place !== (await whereItLeads(directory));
  }
}

/** A directory that is not there leads nowhere, and that is said elsewhere. */
function whereItLeads(directory: string): Promise<string> {
  return realpath(directory).catch(() => directory);
}
