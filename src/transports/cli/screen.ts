/** The terminal that the program writes to, as far as there is one. */

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

type Output = { isTTY?: boolean; columns?: number; write(text: string): unknown };

const startOfLine = "\r\u001b[2K";

export function statusLine(output: Output, shorten: (text: string, width: number) => string): StatusLine {
  const live = output.isTTY === true;
  return {
    line: (text) => void output.write(`${live ? startOfLine : ""}${text}\n`),
    status(text) {
      if (live) output.write(`${startOfLine}${shorten(text, (output.columns || 80) - 1)}`);
    },
    clear() {
      if (live) output.write(startOfLine);
    },
  };
}
