/** Which events are worth a look, and at which lane's session: a subtask's is found by the session above it. */
import type { Hint } from "../../port.ts";
import type { FeedEvent } from "../server/event-stream.ts";
import type { SessionTree } from "./session-tree.ts";

/** Events after which a look is worth its cost. */
const telling = new Set([
  "session.idle",
  "session.error",
  "session.deleted",
  "permission.asked",
  "permission.replied",
  "question.asked",
  "question.replied",
  "question.rejected",
]);

const lookUpMs = 3000;

export class SessionHints {
  readonly #tree: SessionTree;
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Set<(hint: Hint) => void>();
  /** Sessions that somebody sent to or asked about; all of them are worth a look after a gap. */
  readonly #watched = new Set<string>();

  constructor(tree: SessionTree, onError: (error: unknown) => void) {
    this.#tree = tree;
    this.#onError = onError;
  }

  onHint(listener: (hint: Hint) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  watch(sessionId: string): void {
    this.#watched.add(sessionId);
  }

  unwatch(sessionId: string): void {
    this.#watched.delete(sessionId);
  }

  /** A subtask's session is announced before anything happens in it. */
  learn({ type, properties: { info } }: FeedEvent): void {
    if (type !== "session.created" && type !== "session.updated") return;
    const { id, parentID } = (info ?? {}) as { id?: unknown; parentID?: unknown };
    if (typeof id === "string") this.#tree.learn(id, typeof parentID === "string" ? parentID : null);
  }

  /** The lane's session that an event is about, if that is known already. */
  laneSession({ properties: { sessionID } }: FeedEvent): string | null {
    if (typeof sessionID !== "string") return null;
    const known = this.#tree.knownRoot(sessionID);
    return this.#watched.has(known) ? known : null;
  }

  hear(event: FeedEvent): void {
    const { sessionID } = event.properties;
    if (!telling.has(event.type) || typeof sessionID !== "string") return;
    const known = this.laneSession(event);
    if (known !== null) this.tell(known);
    else void this.#tellAbove(sessionID);
  }

  tell(sessionId: string): void {
    for (const listener of this.#listeners) listener({ sessionId });
  }

  tellAll(): void {
    for (const sessionId of this.#watched) this.tell(sessionId);
  }

  /** A subtask whose beginning was missed: only the server can say under which lane it runs. */
  async #tellAbove(sessionId: string): Promise<void> {
    try {
      const above = await this.#tree.root(sessionId, AbortSignal.timeout(lookUpMs));
      if (this.#watched.has(above)) this.tell(above);
    } catch (error) {
      this.#onError(error);
    }
  }
}
