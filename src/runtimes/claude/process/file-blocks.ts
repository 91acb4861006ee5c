/** Files as content blocks of Anthropic's API, which Claude Code passes on. Pure. */
import type { Json } from "../../json-fields.ts";
import type { FileContent } from "../../model-files.ts";

/** A text file is also sent as a document, which keeps it apart from the prompt's own text. */
export function fileBlock(file: FileContent): Json {
  switch (file.kind) {
    case "text":
      return {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: file.text },
        title: file.name,
      };
    case "image":
    case "document":
      return {
        type: file.kind,
        source: { type: "base64", media_type: file.mimeType, data: file.base64 },
        ...(file.kind === "document" ? { title: file.name } : {}),
      };
    default:
      return file satisfies never;
  }
}
