/** A prompt as pi takes it: one text, and images. Pure. */
import type { Json } from "../../json-fields.ts";
import type { FileContent } from "../../model-files.ts";
import { fileText } from "../../model-files.ts";

/** Below the prompt, whose first words say which message it is for. */
export function withTextFiles(text: string, files: readonly FileContent[]): string {
  return [text, ...files.flatMap((file) => (file.kind === "text" ? [fileText(file)] : []))].join("\n\n");
}

export function imagesIn(files: readonly FileContent[]): Json[] {
  return files.flatMap((file) =>
    file.kind === "image" ? [{ type: "image", data: file.base64, mimeType: file.mimeType }] : [],
  );
}
