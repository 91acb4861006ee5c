/** The lines of JSON that a daemon prints, for tests that wait for some of them. */

export type OutputLine = Record<string, unknown>;

export class OutputLines {
  readonly all: OutputLine[] = [];
  readonly #consumed = new Set<OutputLine>();
  readonly #waiters = new Set<() => void>();
  #ended = false;

  add(line: string): void {
    this.all.push(JSON.parse(line) as OutputLine);
    this.#wake();
  }

  /** Nothing more will be printed, so whoever still waits fails. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** The first matching line that was not returned before. Two processes may write, so the order means nothing. */
  async waitFor(expected: OutputLine, errors: () => string = () => ""): Promise<OutputLine> {
    const matches = (line: OutputLine) => Object.entries(expected).every(([key, value]) => line[key] === value);
    for (;;) {
      const line = this.all.find((one) => !this.#consumed.has(one) && matches(one));
      if (line) {
        this.#consumed.add(line);
        return line;
      }
      if (this.#ended) throw new Error(`never printed: ${JSON.stringify(expected)}\n${errors()}`);
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiters.delete(wake);
          resolve();
        };
        this.#waiters.add(wake);
      });
    }
  }

  #wake(): void {
    for (const wake of this.#waiters) wake();
  }
}
