/** The shape of a command: its help, its arguments, and a `run` that returns an exit code. */
import { parseArgs } from "node:util";
import { messageOf } from "../platform/app-error.ts";
import { nearest } from "../platform/nearest.ts";
import { exitCodes, parseChoice, usageError } from "./errors.ts";
import type { Paint } from "./output/terminal.ts";

export type CommandContext = {
  env: NodeJS.ProcessEnv;
  json: boolean;
  /** Prints a line of the result to standard output. */
  print: (line: string) => void;
  /** Prints a line that is not the result (progress, hints) to standard error. */
  printNote: (line: string) => void;
  paint: Paint;
  /** Aborted by Ctrl-C and by SIGTERM. */
  interrupted: AbortSignal;
  loadCommands: () => Promise<readonly Command[]>;
};

/** Values that shell completion offers; "lanes" asks the daemon for its lane ids. */
export type Choices = "lanes" | readonly string[];

export type Options = Record<string, Option>;
type Option = {
  type: "boolean" | "string";
  multiple?: boolean;
  short?: string;
  choices?: Choices;
  /** The value's placeholder in the help. */
  value?: string;
  help?: string;
};

/** An option that takes a value; `value` is its placeholder in the help. */
export function textOption(value: string, help: string, choices?: Choices): Option {
  return { type: "string", value, help, ...(choices && { choices }) };
}

export function flagOption(help: string): Option {
  return { type: "boolean", help };
}

/** help.ts builds the help text from this and the options. Lines are wrapped by hand. */
export type HelpParts = {
  /** What follows the command's name, one line per form. */
  usage: string;
  description: string;
  /** What --json prints. */
  json: string;
  exitCodes?: string;
  examples: string;
};

export type Command = {
  name: string;
  /** One line for the list of commands. */
  summary: string;
  help: string | HelpParts;
  options: Options;
  subcommands?: readonly string[];
  /** The maximum number of positional arguments; 0 by default. */
  maxArguments?: number;
  argumentChoices?: Choices;
  /** Left out of the list of commands. */
  hidden?: boolean;
  /** Keeps running when its output is closed, like a daemon whose terminal was closed. */
  ignoresClosedOutput?: boolean;
  run: (input: CommandInput, context: CommandContext) => Promise<number>;
};

export type CommandInput = {
  positionals: readonly string[];
  /** The positional at this index, or a usage error. */
  argument(index: number, errorWhenMissing: string): string;
  flag(name: string): boolean;
  value(name: string): string | undefined;
  values(name: string): readonly string[];
  choice<T extends string>(name: string, choices: readonly T[]): T | undefined;
};

/** Every command accepts these. */
export const commonOptions: Options = {
  help: { type: "boolean", short: "h" },
  json: { type: "boolean" },
};

export function parseInput(command: Command | null, args: readonly string[]): CommandInput {
  const { values, positionals } = parse(command, args);
  const extra = command && values.help !== true ? positionals.slice(command.maxArguments ?? 0) : [];
  if (extra.length > 0) throw usageError(`too many arguments: ${extra.join(" ")}`, command?.name);
  const value = (name: string) => [values[name]].flat().findLast((one) => typeof one === "string");
  return {
    positionals,
    argument(index, errorWhenMissing) {
      const argument = positionals[index];
      if (!argument) throw usageError(errorWhenMissing, command?.name);
      return argument;
    },
    flag: (name) => values[name] === true,
    value,
    values: (name) => [values[name]].flat().filter((one) => typeof one === "string"),
    choice: (name, choices) => parseChoice(value(name), choices, `--${name}`, command?.name),
  };
}

function parse(command: Command | null, args: readonly string[]) {
  const options = { ...command?.options, ...commonOptions };
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    const problem = messageOf(error).split(". ")[0] ?? "invalid command line";
    const unknown = /^Unknown option '--?([^'=]+)'/.exec(problem)?.[1];
    const similar = unknown === undefined ? null : nearest(unknown, Object.keys(options));
    throw usageError(problem, command?.name, similar && `--${similar}`, error);
  }
}

/** Prints the result of a command, as one line of JSON or as text. */
export function printResult(
  { json, print }: CommandContext,
  value: unknown,
  text: string | readonly string[],
): typeof exitCodes.ok {
  if (json) print(JSON.stringify(value));
  else for (const line of [text].flat()) print(line);
  return exitCodes.ok;
}

type WithoutNulls<T> = { [K in keyof T]?: NonNullable<T[K]> };

/** The fields of a request, without those that are null. */
export function withoutNulls<T extends object>(fields: T): WithoutNulls<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as WithoutNulls<T>;
}
