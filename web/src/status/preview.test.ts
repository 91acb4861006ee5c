import { expect, test } from "vitest";
import { previewOf } from "./preview.ts";

const message = (text: string, summary: string | null = null) => ({ text, summary, attachments: [] });

test("a preview is one line", () => {
  expect(previewOf(message("Build it.\n\n  Then\ttest it.\n"))).toBe("Build it. Then test it.");
});

test("a preview is short, and says that it was cut", () => {
  const preview = previewOf(message("word ".repeat(100_000)));
  expect(preview).toHaveLength(200);
  expect(preview.endsWith("…")).toBe(true);
});

test("a summary replaces the text", () => {
  expect(previewOf(message("long", "short"))).toBe("short");
});

test("characters that change text direction are left out", () => {
  expect(previewOf(message("safe\u202eevil"))).toBe("safeevil");
});

test("a message without text is named after its files", () => {
  const file = { id: "1", name: "screen.png", mimeType: "image/png", size: 1 };
  expect(previewOf({ text: "", summary: null, attachments: [file] })).toBe("screen.png");
});
