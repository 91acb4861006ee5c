import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { anthropic } from "./anthropic.ts";
import { openai } from "./openai.ts";

const data = Buffer.from("picture").toString("base64");
const picture = { bytes: 7, sha256: createHash("sha256").update("picture").digest("hex") };
const text = { type: "text", text: "Look." };

test("files in a request to Anthropic's API are read, and are not part of the text", () => {
  const content = [
    text,
    { type: "image", source: { type: "base64", media_type: "image/png", data } },
    { type: "document", source: { type: "text", media_type: "text/plain", data: "picture" }, title: "a.txt" },
  ];
  const request = anthropic.read({ messages: [{ role: "user", content }] });
  expect(request.files).toEqual([
    { type: "image/png", ...picture },
    { type: "text/plain", ...picture },
  ]);
  expect(request.prompt).toBe("Look.");
});

test("files in a request to OpenAI's API are read, and are not part of the text", () => {
  const content = [
    text,
    { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
    { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${data}` } },
    { type: "image_url", image_url: { url: "https://example.org/a.png" } },
  ];
  const request = openai.read({ messages: [{ role: "user", content }] });
  expect(request.files).toEqual([
    { type: "image/png", ...picture },
    { type: "application/pdf", ...picture },
  ]);
  expect(request.prompt).toBe("Look.");
});

test("a large file counts as a page of text", () => {
  const sizeOf = (bytes: number) => {
    const url = `data:image/png;base64,${Buffer.alloc(bytes).toString("base64")}`;
    return openai.read({ messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }] }).size;
  };
  expect(sizeOf(3_000_000)).toBe(sizeOf(30_000));
});
