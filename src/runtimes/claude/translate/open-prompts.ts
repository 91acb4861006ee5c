/** The prompts that the program has queued but not finished, oldest first, with the text of those that Waybill sent. */
import { KnownIds } from "../../../core/turn/item-tracker.ts";

const maxEnded = 1000;

export class OpenPrompts {
  readonly #texts = new Map<string, string>();
  readonly #open = new Set<string>();
  readonly #started = new Set<string>();
  readonly #ended = new KnownIds(maxEnded);

  get count(): number {
    return this.#open.size;
  }

  get open(): Iterable<string> {
    return this.#open;
  }

  /** The oldest prompt, which the program is working on. */
  get running(): string | null {
    const [oldest] = this.#open;
    return oldest ?? null;
  }

  sent(uuid: string, text: string): void {
    this.#texts.set(uuid, text);
  }

  /** The program queued a prompt. Returns its text (empty if Waybill did not send it), or null if it has ended. */
  queued(uuid: string): string | null {
    if (this.#ended.has(uuid)) {
      this.#texts.delete(uuid);
      return null;
    }
    this.#open.add(uuid);
    return this.#texts.get(uuid) ?? "";
  }

  started(uuid: string): void {
    this.#started.add(uuid);
  }

  /** Ends the prompts that others sent and that the program has started. */
  endOthers(): void {
    for (const uuid of this.#started) if (!this.#texts.has(uuid)) this.end(uuid);
  }

  /** Returns false if the prompt was not open. */
  end(uuid: string): boolean {
    this.#ended.add(uuid);
    this.#started.delete(uuid);
    this.#texts.delete(uuid);
    return this.#open.delete(uuid);
  }
}
