/** What a command is: its own help, its own arguments, and a run that ends in an exit code. */
import { parseArgs } from "node:util";
import { messageOf } from "../app-error.ts";
import { nearest } from "../nearest.ts";
import type { Paint } from "./output/terminal.ts";
import { usageError } from "./usage-error.ts";

export type CommandContext = {
  env: NodeJS.ProcessEnv;
  json: boolean;
  /** One line of the command's result, to standard output. */
  print: (line: string) => void;
  /** One line that is not the result (progress, hints), to standard error. */
  remark: (line: string) => void;
  paint: Paint;
  /** Aborted by Ctrl-C and by a polite kill. */
  interrupted: AbortSignal;
};

/** Long names only, but for those that everybody knows. */
export type Options = Record<string, Option>;
type Option = {
  type: "boolean" | "string";
  multiple?: boolean;
  short?: string;
  /** What it can be, for shell completion; "lanes" asks the daemon. */
  choices?: "lanes" | readonly string[];
};

export type Command = {
  name: string;
  /** A few words for the list of commands. */
  summary: string;
  /** Usage, options, exit codes where they differ, examples. */
  help: string;
  options: Options;
  /** Words that may come first, for shell completion: `store backup`. */
  verbs?: readonly string[];
  /** What the other words can be, for shell completion; "lanes" asks the daemon. */
  words?: "lanes" | readonly string[];
  /** Not listed. */
  hidden?: boolean;
  /** Goes on when nobody reads its output any more, as a daemon does whose terminal was closed. */
  outlivesReaders?: boolean;
  run: (input: CommandInput, context: CommandContext) => Promise<number>;
};

export type CommandInput = {
  positionals: readonly string[];
  flag(name: string): boolean;
  value(name: string): string | undefined;
  values(name: string): readonly string[];
};

/** Every command understands these. */
export const commonOptions: Options = {
  help: { type: "boolean", short: "h" },
  json: { type: "boolean" },
};

export function parseInput(command: Command | null, args: readonly string[]): CommandInput {
  const options = { ...command?.options, ...commonOptions };
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    return {
      positionals,
      flag: (name) => values[name] === true,
      value: (name) => [values[name]].flat().findLast((value) => typeof value === "string"),
      values: (name) => [values[name]].flat().filter((value) => typeof value === "string"),
    };
  } catch (error) {
    const what = messageOf(error).split(". ")[0] ?? "not understood";
    throw usageError(what, command?.name, error, meantOption(what, options));
  }
}

/** For an option that there is not, the one that is most like it. */
function meantOption(what: string, options: Options): string | null {
  const unknown = /^Unknown option '--?([^'=]+)'/.exec(what)?.[1];
  const meant = unknown === undefined ? null : nearest(unknown, Object.keys(options));
  return meant === null ? null : `--${meant}`;
}

/** For commands that take no more words than `most`. */
export function refuseMore(input: CommandInput, most: number, command: string): void {
  const more = input.positionals.slice(most);
  if (more.length > 0) throw usageError(`too many arguments: ${more.join(" ")}`, command);
}
