/** The files that models accept as part of a prompt, and their content in the forms that agent programs pass on. */
import { readFile } from "node:fs/promises";
import type { AcceptedFiles } from "../core/message/file-type.ts";
import { isTextType } from "../core/message/file-type.ts";
import type { AttachedFile } from "./port.ts";

const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Providers reject an image above 5 MB in base64, and then every later request of the session that contains it. */
export const acceptedImages: readonly AcceptedFiles[] = imageTypes.map((type) => ({ type, maxBytes: 3_750_000 }));
export const acceptedPdf: AcceptedFiles = { type: "application/pdf", maxBytes: 20_000_000 };
/** The same limit as for the text of a message. */
export const acceptedText: AcceptedFiles = { type: "text/*", maxBytes: 256 * 1024 };

export type FileContent = Pick<AttachedFile, "name" | "mimeType"> &
  ({ kind: "text"; text: string } | { kind: "image" | "document"; base64: string });

export function readFiles(files: readonly AttachedFile[]): Promise<FileContent[]> {
  return Promise.all(
    files.map(async ({ name, mimeType, path }): Promise<FileContent> => {
      const bytes = await readFile(path);
      if (isTextType(mimeType)) return { name, mimeType, kind: "text", text: bytes.toString("utf8") };
      const kind = imageTypes.includes(mimeType) ? "image" : "document";
      return { name, mimeType, kind, base64: bytes.toString("base64") };
    }),
  );
}

/** A text file as part of a prompt. The first line names the file. */
export function fileText({ name, text }: { name: string; text: string }): string {
  return `Attached file ${name.replaceAll(/\p{Cc}/gu, " ")}:\n${text}`;
}
