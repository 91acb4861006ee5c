/** The questions of `waybill init` on a terminal. An answer that does not fit is explained and asked for again. */
import { createInterface } from "node:readline/promises";
import { AppError } from "../../app-error.ts";
import { runtimeKinds } from "../../runtimes/kinds.ts";
import type { Answers } from "./first-config.ts";
import { checkedDirectory, checkedLane, checkedPort, checkedRuntime, proposedLane } from "./first-config.ts";

export type Terminal = {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  /** Aborted by a signal from outside. */
  interrupted: AbortSignal;
};

/** What was given on the command line is not asked. Null when the person aborted. */
export async function ask(
  { runtime, directory, lane, port }: { [K in keyof Answers]: { given?: string; proposed: string } },
  { input, output, interrupted }: Terminal,
  env: NodeJS.ProcessEnv,
): Promise<Answers | null> {
  const lines = createInterface({ input, output, terminal: "isTTY" in input && input.isTTY === true });
  const aborted = new AbortController();
  const signal = AbortSignal.any([interrupted, aborted.signal]);
  // Ctrl-C does not arrive as a signal while lines are read, and Ctrl-D closes them; a question would wait for ever.
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
    const program = await question(`Which agent program? (${runtimeKinds.join(", ")})`, runtime, checkedRuntime);
    const workspace = await question("In which directory does the first lane work?", directory, (text) =>
      checkedDirectory(text, env),
    );
    const id = await question("What is the lane called?", { ...lane, proposed: proposedLane(workspace) }, checkedLane);
    return {
      runtime: program,
      directory: workspace,
      lane: id,
      port: await question("On which port?", port, checkedPort),
    };
  } catch (error) {
    if (!signal.aborted) throw error;
    output.write("\n");
    return null;
  } finally {
    lines.close();
  }
}
