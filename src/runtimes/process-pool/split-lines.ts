/** Splits a stream into lines, and truncates a line that is far too long. (Node's readline also splits at U+2028.) */
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
  // A line without its end was cut off by the end of the program, and may still matter.
  stream.on("end", end);
}
