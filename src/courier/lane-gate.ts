/** Everything that touches a lane goes through its gate, one at a time; lanes do not wait for each other. */
export class LaneGate {
  readonly #tails = new Map<string, Promise<unknown>>();

  run<T>(laneId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(laneId) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result
      .catch(() => {}) // whoever called hears of it; the next in line goes on
      .finally(() => {
        if (this.#tails.get(laneId) === tail) this.#tails.delete(laneId);
      });
    this.#tails.set(laneId, tail);
    return result;
  }

  /** Resolves when everything has run that is in line now, whatever comes after it. */
  async passed(): Promise<void> {
    await Promise.all(this.#tails.values());
  }

  async drained(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }
}
