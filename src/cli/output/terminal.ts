/** Text on a terminal: its width, optional colours, and never a control sequence that an agent wrote. */
import { stripVTControlCharacters, styleText } from "node:util";

export type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

export function paintFor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): Paint {
  const forced = (env.FORCE_COLOR ?? "") !== "" && env.FORCE_COLOR !== "0";
  const forbidden = (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb";
  const coloured = !forbidden && (forced || stream.isTTY === true);
  // validateStream would always check standard output, not this stream.
  return (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text);
}

/** Lines are cut to fit a terminal, but never in a file or a pipe. */
export function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY;
}

/**
 * Untrusted text, safe to print: no escape sequences, no control characters except line breaks and tabs, and no
 * characters that change the text direction, so that a command reads in the order in which it runs.
 */
export function printable(text: string): string {
  // \p{Cc} are the control characters.
  return stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "");
}
