/** Reads what a program prints: lines of its output, and the end of its error output. */

import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";
import { redactSecrets, secretValues } from "../process/agent-environment.ts";

const defaultMaxLength = 32 * 1024 * 1024;

/** Truncates overlong lines. (Node's readline would also split at U+2028.) */
export function splitLines(
  stream: Readable,
  onLine: (line: string) => void,
  maxLength: number = defaultMaxLength,
): void {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  let length = 0;
  const add = (piece: string) => {
    if (length < maxLength) pieces.push(piece.slice(0, maxLength - length));
    length += piece.length;
  };
  const end = () => {
    const line = pieces.join("");
    pieces = [];
    length = 0;
    if (line.trim() !== "") onLine(line);
  };
  stream.on("data", (chunk: Buffer) => {
    const [first = "", ...others] = decoder.write(chunk).split("\n");
    add(first);
    for (const piece of others) {
      end();
      add(piece);
    }
  });
  // A last line without a line end was cut off when the program ended, and may still matter.
  stream.on("end", end);
}

/** The end of a program's error output, without secrets, for error messages and the log. */
export function stderrTail(output: string, environment: Readonly<Record<string, string>>): string {
  const clean = redactSecrets(stripVTControlCharacters(output), secretValues(environment));
  const lines = clean.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .slice(-5)
    .join(" / ")
    .slice(-500);
}
