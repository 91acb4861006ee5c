/**
 * The command line in the tests' own process: what `bin/waybill` calls, with what it reads and writes. Several commands may
 * run at the same time. Tests about signals and terminals run the built program instead (`program.ts`).
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { Readable } from "node:stream";
import { main } from "../../../src/cli/main.ts";
import type { Result } from "./daemon-home.ts";

const running = new AsyncLocalStorage<{ stdin: Readable; stdout: string; stderr: string }>();
const outputs = [process.stdout, process.stderr];

export function runInProcess(args: readonly string[], env: NodeJS.ProcessEnv, input = ""): Promise<Result> {
  const streams = { stdin: Readable.from(input === "" ? [] : [Buffer.from(input)]), stdout: "", stderr: "" };
  return running.run(streams, async () => {
    const before = outputs.map((stream) => stream.listeners("error"));
    const code = await main(args, env);
    // A program adds its listeners once.
    for (const [index, stream] of outputs.entries()) {
      for (const listener of stream.listeners("error"))
        if (!before[index]?.includes(listener)) stream.removeListener("error", listener as () => void);
    }
    return { code, stdout: streams.stdout, stderr: streams.stderr };
  });
}

for (const name of ["stdout", "stderr"] as const) {
  const stream = process[name];
  const write = stream.write.bind(stream) as (...all: unknown[]) => boolean;
  stream.write = (chunk: unknown, ...rest: unknown[]) => {
    const streams = running.getStore();
    if (!streams) return write(chunk, ...rest);
    streams[name] += String(chunk);
    return true;
  };
}
const { get: own } = Object.getOwnPropertyDescriptor(process, "stdin") ?? {};
Object.defineProperty(process, "stdin", { get: () => running.getStore()?.stdin ?? own?.call(process) });
