/** The questions of `waybill init` on a terminal. An invalid answer is explained, and the question is asked again. */
import { createInterface } from "node:readline/promises";
import { AppError } from "../../platform/app-error.ts";
import type { Answers } from "./first-config.ts";
import { checkedDirectory, checkedRuntime } from "./first-config.ts";

export type Terminal = {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  /** Aborted by an external signal. */
  interrupted: AbortSignal;
};

export type Proposals = { [K in "runtime" | "directory"]: { given?: string; proposed: string } };

/** Values given on the command line are not asked for. Null when the person aborted. */
export async function ask(
  { runtime, directory }: Proposals,
  kinds: readonly string[],
  { input, output, interrupted }: Terminal,
  env: NodeJS.ProcessEnv,
): Promise<Pick<Answers, "runtime" | "directory"> | null> {
  const lines = createInterface({ input, output, terminal: "isTTY" in input && input.isTTY === true });
  const aborted = new AbortController();
  const signal = AbortSignal.any([interrupted, aborted.signal]);
  // While readline is active, Ctrl-C is not a signal and Ctrl-D closes the input; a question would wait forever.
  lines.on("SIGINT", () => aborted.abort()).on("close", () => aborted.abort());
  const question = async <T>(
    words: string,
    { given, proposed }: { given?: string; proposed: string },
    check: (text: string) => T,
  ) => {
    if (given !== undefined) return check(given);
    for (;;) {
      const answer = (await lines.question(`${words} [${proposed}] `, { signal })).trim();
      try {
        return check(answer === "" ? proposed : answer);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        output.write(`  ${error.message}\n`);
      }
    }
  };
  try {
    return {
      runtime: await question(`Which agent? (${kinds.join(", ")})`, runtime, checkedRuntime),
      directory: await question("In which directory does it work?", directory, (text) => checkedDirectory(text, env)),
    };
  } catch (error) {
    if (!signal.aborted) throw error;
    output.write("\n");
    return null;
  } finally {
    lines.close();
  }
}
