import { describe, expect, test } from "vitest";
import { fileType, guessType, isTextType, provenType } from "./file-type.ts";

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const png = bytes("\x89PNG\r\n\x1a\n…");
const zip = bytes("PK\x03\x04\x00");

test.each([
  ["image/png", png],
  ["image/jpeg", bytes("\xff\xd8\xff\xe0")],
  ["image/gif", bytes("GIF89a")],
  ["image/webp", bytes("RIFF\n\0\0\0WEBPVP8 ")],
  ["application/pdf", bytes("%PDF-1.7")],
  [null, zip],
  [null, bytes("RIFF\n\0\0\0WAVEfmt ")],
  [null, bytes("")],
])("%s is detected from the first bytes", (type, head) => {
  expect(provenType(head)).toBe(type);
});

describe("the type of a file", () => {
  test("is what its bytes prove, whatever type was claimed", () => {
    expect(fileType("application/zip", png)).toBe("image/png");
  });

  test("is not an image just because the sender says so", () => {
    expect(fileType("image/png", zip)).toBe("application/octet-stream");
  });

  test("is otherwise the claimed one, without parameters", () => {
    expect(fileType("Text/Plain; charset=utf-8", bytes("hello"))).toBe("text/plain");
    expect(fileType("no type at all", bytes("hello"))).toBe("application/octet-stream");
  });

  test.each([
    ["shot.PNG", png, "image/png"],
    ["shot.txt", png, "image/png"],
    ["notes.md", bytes("# Notes"), "text/markdown"],
    ["package.json", bytes("{}"), "application/json"],
    ["Makefile", bytes("all:\n"), "text/plain"],
    ["main.rs", bytes("fn main() {}"), "text/plain"],
    ["a.zip", zip, "application/zip"],
    ["core", zip, "application/octet-stream"],
    ["broken.png", zip, "application/octet-stream"],
    ["cut-off.rs", Uint8Array.of(0x61, 0xc3), "text/plain"],
    ["latin1.rs", Uint8Array.of(0x61, 0xe9, 0x61), "application/octet-stream"],
  ])("of %s is guessed from its bytes and its name", (name, head, type) => {
    expect(guessType(name, head)).toBe(type);
  });

  test.each([
    ["text/x-anything", true],
    ["application/json", true],
    ["image/png", false],
    ["application/zip", false],
  ])("%s is text: %s", (type, isText) => {
    expect(isTextType(type)).toBe(isText);
  });
});
