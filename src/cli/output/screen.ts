/** The terminal that the program writes to, as far as there is one. */
import { shortened } from "./table.ts";

/** Lines are cut to fit a terminal, and never in a file or a pipe. */
export function screenWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY;
}

export type StatusLine = {
  /** A line that stays. */
  line(text: string): void;
  /** What stands below the lines until the next line or status; nothing where lines cannot be taken back. */
  status(text: string): void;
  /** Takes the status away. */
  clear(): void;
};

export type Output = { isTTY?: boolean; columns?: number; write(text: string): unknown };

const startOfLine = "\r\u001b[2K";

/** `plainly` prints a line where there is no terminal. */
export function statusLine(output: Output, plainly: (line: string) => void): StatusLine {
  if (output.isTTY !== true) return { line: plainly, status: () => {}, clear: () => {} };
  return {
    line: (text) => void output.write(`${startOfLine}${text}\n`),
    status: (text) => void output.write(`${startOfLine}${shortened(text, (output.columns || 80) - 1)}`),
    clear: () => void output.write(startOfLine),
  };
}
