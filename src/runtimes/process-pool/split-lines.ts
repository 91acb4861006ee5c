/** Splits a stream into lines, and truncates overlong lines. (Node's readline would also split at U+2028.) */
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

const defaultMaxLength = 32 * 1024 * 1024;

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
