import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { mostCharacters } from "../../mail/message.ts";
import { textToSend } from "./text-to-send.ts";

const never = new AbortController().signal;
const piped = (...chunks: Uint8Array[]) => textToSend([], Readable.from(chunks), never);

test("standard input is the text, without its last line break, also when a character comes in two pieces", async () => {
  const bytes = Buffer.from("Is it größer?\nYes.\n");
  expect(await piped(bytes.subarray(0, 9), bytes.subarray(9))).toBe("Is it größer?\nYes.");
});

test("what is no text is refused, and not sent with its bytes replaced", async () => {
  await expect(piped(Buffer.from([0x50, 0xff, 0xfe]))).rejects.toMatchObject({ code: "not_text" });
});

test("nothing is refused as empty", async () => {
  await expect(piped()).rejects.toMatchObject({ code: "usage" });
  await expect(piped(Buffer.from(" \n"))).rejects.toMatchObject({ code: "usage" });
});

test("an input without an end is not read to its end", async () => {
  let read = 0;
  async function* endless() {
    for (;;) {
      read += 65_536;
      yield Buffer.alloc(65_536, "y");
    }
  }
  await expect(textToSend([], Readable.from(endless()), never)).rejects.toMatchObject({ code: "too_large" });
  expect(read).toBeLessThan(8 * mostCharacters);
});

test("the longest text is taken, and one character more is not", async () => {
  expect(await piped(Buffer.from("€".repeat(mostCharacters)))).toHaveLength(mostCharacters);
  await expect(piped(Buffer.from("x".repeat(mostCharacters + 1)))).rejects.toMatchObject({ code: "too_large" });
});
