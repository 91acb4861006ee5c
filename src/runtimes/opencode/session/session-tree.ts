/**
 * Which session belongs to which lane's session: a subtask runs in a session of its own below that of the lane, and its
 * events and asks carry its own id. Parents never change, so each is asked for once, until its session is let go.
 */
import type { OpencodeApi } from "../server/opencode-api.ts";

export class SessionTree {
  readonly #api: OpencodeApi;
  readonly #parents = new Map<string, string | null>();

  constructor(api: OpencodeApi) {
    this.#api = api;
  }

  learn(sessionId: string, parentId: string | null): void {
    this.#parents.set(sessionId, parentId);
  }

  /** The session at the top, as far as that is known without asking. */
  knownRoot(sessionId: string): string {
    let id = sessionId;
    for (let parent = this.#parents.get(id); parent != null; parent = this.#parents.get(id)) id = parent;
    return id;
  }

  /** It and all below it, which are returned; whoever asks for one again is told by the server. */
  forget(sessionId: string): string[] {
    const below = [...this.#parents].filter(([, parent]) => parent === sessionId).map(([id]) => id);
    this.#parents.delete(sessionId);
    return [sessionId, ...below.flatMap((id) => this.forget(id))];
  }

  async root(sessionId: string, signal: AbortSignal): Promise<string> {
    let id = sessionId;
    for (let parent = await this.#parent(id, signal); parent !== null; parent = await this.#parent(id, signal))
      id = parent;
    return id;
  }

  async isBelow(sessionId: string, root: string, signal: AbortSignal): Promise<boolean> {
    let id: string | null = sessionId;
    while (id !== null && id !== root) id = await this.#parent(id, signal);
    return id === root;
  }

  async #parent(id: string, signal: AbortSignal): Promise<string | null> {
    const known = this.#parents.get(id);
    if (known !== undefined) return known;
    const parent = (await this.#api.session(id, signal))?.parentID ?? null;
    this.learn(id, parent);
    return parent;
  }
}
