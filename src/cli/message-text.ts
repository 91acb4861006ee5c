/** The text of a message: the command line's arguments, or standard input if there are none. */
import type { Readable } from "node:stream";
import { addAbortSignal } from "node:stream";
import { maxCharacters } from "../core/message/message.ts";
import { AppError } from "../platform/app-error.ts";
import { usageError } from "./errors.ts";

type Input = Readable & { isTTY?: boolean };

/** A character takes at most three bytes in UTF-8. */
const maxBytes = 3 * maxCharacters;

export async function readMessageText(
  words: readonly string[],
  input: Input,
  interrupted: AbortSignal,
): Promise<string> {
  const fromInput = words.length === 0 ? !input.isTTY : words.length === 1 && words[0] === "-";
  if (words.length === 0 && !fromInput) {
    throw usageError(
      'the text is missing: give it as the last argument ("…"), pipe it in, or use - to type it',
      "send",
    );
  }
  const text = fromInput ? (await readAll(input, interrupted)).replace(/\r?\n$/, "") : words.join(" ");
  if (text.trim() === "") throw usageError("the text is empty", "send");
  if (text.length > maxCharacters) throw tooLong();
  return text;
}

/** Stops at the size limit, since piped input may be endless. */
async function readAll(input: Input, interrupted: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of addAbortSignal(interrupted, input)) {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    if (size > maxBytes) throw tooLong();
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new AppError({
      code: "not_text",
      message: "The piped input is not UTF-8 text, so nothing was sent.",
      hint: "Save it as a file that the agent can read, and give its path in the text.",
      cause,
    });
  }
}

function tooLong(): AppError {
  return new AppError({
    code: "too_large",
    message: `The text is longer than ${maxCharacters} characters.`,
    hint: "Save it as a file that the agent can read, and give its path in the text.",
  });
}
