import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { textToSend } from "./text-to-send.ts";

const input = (text: string, isTTY = false) => Object.assign(Readable.from([Buffer.from(text)]), { isTTY });
const never = new AbortController().signal;

test("the words of the command line are the text", async () => {
  expect(await textToSend(["Is", "it  green?"], input("", true), never)).toBe("Is it  green?");
});

test("without words it is what is piped in, less the line break at its end", async () => {
  expect(await textToSend([], input("two\nlines\n"), never)).toBe("two\nlines");
  expect(await textToSend(["-"], input("typed\n", true), never)).toBe("typed");
});

test("on a terminal without words it says how", async () => {
  await expect(textToSend([], input("", true), never)).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining("pipe it in"),
  });
});

test("nothing but blanks is no text", async () => {
  await expect(textToSend([], input(" \n"), never)).rejects.toMatchObject({ code: "usage" });
});

test("Ctrl-C ends the reading", async () => {
  const stop = new AbortController();
  const endless = Object.assign(new Readable({ read() {} }), { isTTY: false });
  const reading = textToSend([], endless, stop.signal);
  stop.abort();
  await expect(reading).rejects.toMatchObject({ name: "AbortError" });
});
