/**
 * The parents and directories of sessions. They never change, so each is requested once until its session is forgotten.
 *
 * A subtask runs in a session below the lane's, and its events and asks carry its own id. The server keeps statuses and
 * asks by the directory that it recorded when the session was opened, with links resolved. The lane may have moved
 * since then. For any other directory the server reports every session as idle.
 */
import { realpath } from "node:fs/promises";
import type { Lane } from "../../../core/lane/lane.ts";
import type { OpencodeApi } from "./api.ts";

export class SessionRegistry {
  readonly #api: OpencodeApi;
  readonly #parents = new Map<string, string | null>();
  readonly #directories = new Map<string, string>();

  constructor(api: OpencodeApi) {
    this.#api = api;
  }

  add(sessionId: string, parentId: string | null, directory?: string): void {
    this.#parents.set(sessionId, parentId);
    if (directory !== undefined) this.#directories.set(sessionId, directory);
  }

  /** The top-level session, or the highest one that is known without a request. */
  knownRoot(sessionId: string): string {
    let id = sessionId;
    for (let parent = this.#parents.get(id); parent != null; parent = this.#parents.get(id)) id = parent;
    return id;
  }

  /** Forgets a session and all sessions below it, and returns them. */
  forget(sessionId: string): string[] {
    const children = [...this.#parents].filter(([, parent]) => parent === sessionId).map(([id]) => id);
    this.#parents.delete(sessionId);
    this.#directories.delete(sessionId);
    return [sessionId, ...children.flatMap((id) => this.forget(id))];
  }

  async root(sessionId: string, signal: AbortSignal): Promise<string> {
    const parent = await this.#parent(sessionId, signal);
    return parent === null ? sessionId : this.root(parent, signal);
  }

  async isBelow(sessionId: string, root: string, signal: AbortSignal): Promise<boolean> {
    let id: string | null = sessionId;
    while (id !== null && id !== root) id = await this.#parent(id, signal);
    return id === root;
  }

  /** The directory in which the server keeps the session; the lane's own directory if it does not know the session. */
  async directoryOf(lane: Lane, sessionId: string | null, signal: AbortSignal): Promise<string> {
    if (sessionId === null) return lane.directory;
    if (!this.#directories.has(sessionId)) await this.#request(sessionId, signal);
    return this.#directories.get(sessionId) ?? lane.directory;
  }

  /** Whether the session is known to work in a different directory from its lane. */
  async isElsewhere(sessionId: string, directory: string): Promise<boolean> {
    const known = this.#directories.get(sessionId);
    return known !== undefined && known !== directory && known !== (await resolveLinks(directory));
  }

  async #parent(id: string, signal: AbortSignal): Promise<string | null> {
    if (!this.#parents.has(id)) await this.#request(id, signal);
    return this.#parents.get(id) ?? null;
  }

  async #request(id: string, signal: AbortSignal): Promise<void> {
    const session = await this.#api.session(id, signal);
    this.add(id, session?.parentID ?? this.#parents.get(id) ?? null, session?.directory);
  }
}

/** Returns the directory unchanged if it does not exist here, as with a server on another machine. */
export function resolveLinks(directory: string): Promise<string> {
  return realpath(directory).catch(() => directory);
}
