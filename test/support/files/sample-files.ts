/** Small real files of types that models accept, and of one that none accepts. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AttachedFile } from "../../../src/runtimes/port.ts";

/** One red pixel. */
export const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
  "base64",
);

/** One empty page. */
export const pdf = Buffer.from(`%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`);

export const notes = Buffer.from("# Notes\n\nThe port is 7717, said the héron.\n");

export const sampleFiles = [
  { name: "pixel.png", mimeType: "image/png", bytes: png },
  { name: "page.pdf", mimeType: "application/pdf", bytes: pdf },
  { name: "notes.md", mimeType: "text/markdown", bytes: notes },
  { name: "data.json", mimeType: "application/json", bytes: Buffer.from('{"port": 7717}') },
];

export type SampleFile = (typeof sampleFiles)[number];

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** As a runtime reads it from a directory. */
export function attachedFile({ bytes, ...file }: SampleFile, directory: string): AttachedFile {
  const id = sha256(bytes);
  const path = join(directory, id);
  mkdirSync(directory, { recursive: true });
  writeFileSync(path, bytes);
  return { ...file, id, size: bytes.length, path };
}
