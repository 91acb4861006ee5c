/** The text of a message: the words of the command line, or standard input when there are none. */
import type { Readable } from "node:stream";
import { addAbortSignal } from "node:stream";
import { text } from "node:stream/consumers";
import { usageError } from "./usage-error.ts";

type Input = Readable & { isTTY?: boolean };

export async function textToSend(words: readonly string[], input: Input, interrupted: AbortSignal): Promise<string> {
  const fromInput = words.length === 0 ? !input.isTTY : words.length === 1 && words[0] === "-";
  if (words.length === 0 && !fromInput) {
    throw usageError('no text: write it at the end ("…"), pipe it in, or write - to type it', "send");
  }
  const written = fromInput ? await text(addAbortSignal(interrupted, input)) : words.join(" ");
  if (written.trim() === "") throw usageError("the text is empty", "send");
  return fromInput ? written.replace(/\r?\n$/, "") : written;
}
