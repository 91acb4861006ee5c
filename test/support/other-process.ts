/** Runs a TypeScript file of this repository as a process of its own, and hears from it in lines of JSON. */
import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const programs = new Map<string, Promise<string>>();
const directories: string[] = [];

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

export class OtherProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;
  #errors = "";

  /** `within` is a command that runs the process for us, such as one that gives it mounts of its own. */
  static async start(file: string, args: readonly string[], within: readonly string[] = []): Promise<OtherProcess> {
    const program = programs.get(file) ?? makeProgram(file);
    programs.set(file, program);
    return new OtherProcess([...within, process.execPath, await program, ...args]);
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

  /** The next thing that the process says. Fails when it ends without saying any more. */
  async hear<T>(): Promise<T> {
    const line = await this.#lines.next();
    if (line.done) throw new Error(`the process has ended: ${this.#errors}`);
    return JSON.parse(line.value) as T;
  }

  /** Ends its input, which is how a process is asked to finish, and waits until it has. */
  async finish(): Promise<void> {
    this.#child.stdin.end();
    await this.#ended;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }
}

/** Node 20 runs no TypeScript, so the file is bundled first: once, since that takes longer than to run it. */
async function makeProgram(file: string): Promise<string> {
  const { build } = await import("vite");
  // Below the packages that it needs.
  mkdirSync(join(root, "node_modules/.cache"), { recursive: true });
  const outDir = mkdtempSync(join(root, "node_modules/.cache/waybill-test-"));
  directories.push(outDir);
  const output = { entryFileNames: "[name].mjs" };
  await build({
    root,
    configFile: false,
    logLevel: "error",
    build: { ssr: file, outDir, rollupOptions: { output } },
  });
  return join(outDir, basename(file, ".ts").concat(".mjs"));
}
