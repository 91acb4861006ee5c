import { expect, test } from "vitest";
import { refusalOf } from "./file-type.ts";

const file = (mimeType: string, size = 10) => ({ id: "a", name: "a.bin", mimeType, size });
const accepted = [
  { type: "image/png", maxBytes: 100 },
  { type: "text/*", maxBytes: 50 },
];

test.each([
  [[], accepted, null],
  [[file("image/png", 100), file("text/x-rust"), file("application/json")], accepted, null],
  [[file("image/png")], [], "takes no attachments"],
  [[file("image/png"), file("application/zip")], accepted, 'takes no files of type application/zip ("a.bin")'],
  [[file("image/png", 101)], accepted, 'takes files of type image/png up to 100 bytes ("a.bin" has 101)'],
  [[file("text/plain", 51)], accepted, 'takes files of type text/plain up to 50 bytes ("a.bin" has 51)'],
])("%j is accepted, or the refusal says why not", (files, rules, refusal) => {
  expect(refusalOf(files, rules)).toBe(refusal);
});
