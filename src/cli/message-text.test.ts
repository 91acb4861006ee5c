import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { maxCharacters } from "../core/message/message.ts";
import { readMessageText } from "./message-text.ts";

const input = (text: string, isTTY = false) => Object.assign(Readable.from([Buffer.from(text)]), { isTTY });
const never = new AbortController().signal;
const piped = (...chunks: Uint8Array[]) => readMessageText([], Readable.from(chunks), never);

test("the arguments are the text", async () => {
  expect(await readMessageText(["Is", "it  green?"], input("", true), never)).toBe("Is it  green?");
});

test("without arguments the piped input is the text, without its final line break", async () => {
  expect(await readMessageText([], input("two\nlines\n"), never)).toBe("two\nlines");
  expect(await readMessageText(["-"], input("typed\n", true), never)).toBe("typed");
});

test("on a terminal without arguments it explains how to give the text", async () => {
  await expect(readMessageText([], input("", true), never)).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining("pipe it in"),
  });
});

test("Ctrl-C stops reading", async () => {
  const stop = new AbortController();
  const endless = Object.assign(new Readable({ read() {} }), { isTTY: false });
  const reading = readMessageText([], endless, stop.signal);
  stop.abort();
  await expect(reading).rejects.toMatchObject({ name: "AbortError" });
});

test("standard input is the text, even if a character arrives in two chunks", async () => {
  const bytes = Buffer.from("Is it größer?\nYes.\n");
  expect(await piped(bytes.subarray(0, 9), bytes.subarray(9))).toBe("Is it größer?\nYes.");
});

test("input that is not UTF-8 is refused instead of being sent with replaced bytes", async () => {
  await expect(piped(Buffer.from([0x50, 0xff, 0xfe]))).rejects.toMatchObject({ code: "not_text" });
});

test("an empty text is refused", async () => {
  await expect(piped()).rejects.toMatchObject({ code: "usage" });
  await expect(piped(Buffer.from(" \n"))).rejects.toMatchObject({ code: "usage" });
});

test("endless input is not read beyond the limit", async () => {
  let read = 0;
  async function* endless() {
    for (;;) {
      read += 65_536;
      yield Buffer.alloc(65_536, "y");
    }
  }
  await expect(readMessageText([], Readable.from(endless()), never)).rejects.toMatchObject({ code: "too_large" });
  expect(read).toBeLessThan(8 * maxCharacters);
});

test("the longest allowed text is accepted, and one more character is not", async () => {
  expect(await piped(Buffer.from("€".repeat(maxCharacters)))).toHaveLength(maxCharacters);
  await expect(piped(Buffer.from("x".repeat(maxCharacters + 1)))).rejects.toMatchObject({ code: "too_large" });
});
