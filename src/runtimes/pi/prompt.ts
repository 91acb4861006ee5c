/** The content of a prompt for pi: one text, and images. Pure. */
import type { Json } from "../json-fields.ts";
import type { FileContent } from "../model-files.ts";
import { fileText } from "../model-files.ts";

/** Appends the files, since the first words of the prompt have to identify its message. */
export function withTextFiles(text: string, files: readonly FileContent[]): string {
  return [text, ...files.flatMap((file) => (file.kind === "text" ? [fileText(file)] : []))].join("\n\n");
}

export function imagesIn(files: readonly FileContent[]): Json[] {
  return files.flatMap((file) =>
    file.kind === "image" ? [{ type: "image", data: file.base64, mimeType: file.mimeType }] : [],
  );
}
