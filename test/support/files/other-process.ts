/** Runs a TypeScript file of this repository as a separate process, and reads lines of JSON from it. */
import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { bundled } from "./bundled.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

export class OtherProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;
  #errors = "";

  /** `within`: a command that runs the process, such as one that gives it separate mounts. */
  static async start(file: string, args: readonly string[], within: readonly string[] = []): Promise<OtherProcess> {
    return new OtherProcess([...within, process.execPath, await bundled(file), ...args]);
  }

  private constructor([command = "", ...args]: readonly string[]) {
    this.#child = spawn(command, args, { cwd: root, stdio: ["pipe", "pipe", "pipe"] });
    this.#ended = once(this.#child, "close");
    this.#child.stderr.on("data", (chunk) => {
      this.#errors += chunk;
    });
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** The next line that the process prints. Fails if it exits first. */
  async hear<T>(): Promise<T> {
    const line = await this.#lines.next();
    if (line.done) throw new Error(`the process has ended: ${this.#errors}`);
    return JSON.parse(line.value) as T;
  }

  /** Ends its input, which asks the process to finish, and waits until it has. */
  async finish(): Promise<void> {
    this.#child.stdin.end();
    await this.#ended;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }
}
