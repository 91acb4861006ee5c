/** Cuts a stream into lines. A line that is far too long is told by its beginning, and the rest of it passes by. */
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

const longestLine = 32 * 1024 * 1024;

export function splitLines(stream: Readable, onLine: (line: string) => void, longest: number = longestLine): void {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  let length = 0;
  const add = (piece: string) => {
    if (length < longest) pieces.push(piece.slice(0, longest - length));
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
  // What stands without a line's end was cut off by the end of the program, and may still say something.
  stream.on("end", end);
}
