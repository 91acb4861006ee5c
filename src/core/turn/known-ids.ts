/** Remembers ids, and forgets the oldest when there are too many. */
export class KnownIds {
  readonly #ids = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  ids(): Iterable<string> {
    return this.#ids;
  }

  /** False when it was known before. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    for (const oldest of this.#ids) {
      if (this.#ids.size <= this.#most) break;
      this.#ids.delete(oldest);
    }
    return true;
  }
}
