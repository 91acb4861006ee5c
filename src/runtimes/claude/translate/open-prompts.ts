/** Which prompts the program has and has not ended, oldest first, and the texts of those that were sent to it. */
import { KnownIds } from "../../../core/turn/item-tracker.ts";

const remembered = 1000;

export class OpenPrompts {
  readonly #texts = new Map<string, string>();
  readonly #open = new Set<string>();
  readonly #over = new KnownIds(remembered);

  get count(): number {
    return this.#open.size;
  }

  /** The one that the program works on. */
  get running(): string | null {
    const [oldest] = this.#open;
    return oldest ?? null;
  }

  oldest(): string[] {
    return [...this.#open].slice(0, 1);
  }

  sent(uuid: string, text: string): void {
    this.#texts.set(uuid, text);
  }

  /** The program has it. Gives its text, which is empty when somebody else sent it, or null when it is over already. */
  take(uuid: string): string | null {
    if (this.#over.has(uuid)) {
      this.#texts.delete(uuid);
      return null;
    }
    this.#open.add(uuid);
    return this.#texts.get(uuid) ?? "";
  }

  /** False when it was not open. */
  end(uuid: string): boolean {
    this.#over.add(uuid);
    this.#texts.delete(uuid);
    return this.#open.delete(uuid);
  }
}
