/** Small files that remember facts about sessions across restarts, such as which prompt was sent last. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export class SessionMarkers {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  write(name: string, text = ""): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.#directory, name), text, { flush: true });
  }

  has(name: string): boolean {
    return existsSync(join(this.#directory, name));
  }

  read(name: string): string | null {
    return this.has(name) ? readFileSync(join(this.#directory, name), "utf8") : null;
  }
}
