/** A status line below the printed lines of a terminal. The next line or status replaces it. */
import { truncated } from "./table.ts";

export type StatusLine = {
  /** Prints a line that stays. */
  line(text: string): void;
  /** Does nothing if the output is not a terminal. */
  status(text: string): void;
  clear(): void;
};

export type Output = { isTTY?: boolean; columns?: number; write(text: string): unknown };

const eraseLine = "\r\u001b[2K";

/** `printLine` is used if the output is not a terminal. */
export function statusLine(output: Output, printLine: (line: string) => void): StatusLine {
  if (output.isTTY !== true) return { line: printLine, status: () => {}, clear: () => {} };
  return {
    line: (text) => void output.write(`${eraseLine}${text}\n`),
    status: (text) => void output.write(`${eraseLine}${truncated(text, (output.columns || 80) - 1)}`),
    clear: () => void output.write(eraseLine),
  };
}
