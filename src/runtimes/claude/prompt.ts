/** The content of prompts: files as content blocks of Anthropic's API, which Claude Code passes on. Pure. */
import type { PromptPart } from "../../core/turn/signal.ts";
import type { Json } from "../json-fields.ts";
import { asObject, asText, blocksOf } from "../json-fields.ts";
import type { FileContent } from "../model-files.ts";

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

/** The parts of a prompt for signals. The first part has the same id as in the signals that come from the transcript. */
export function promptParts(message: string, content: unknown): PromptPart[] {
  return blocksOf(content).map((block, index) => {
    const text = asText(block.text);
    const id = index === 0 ? `${message}:text` : `${message}:${index}`;
    if (text !== null) return { type: "text", id, text };
    const mime = asText(asObject(block.source)?.media_type);
    if (block.type === "image" && mime !== null) return { type: "image", id, mime, name: null };
    return { type: "json", id, value: { type: asText(block.type), ...titleOf(block) } };
  });
}

/** A document's data is left out: it is long, and the transcript has it. */
function titleOf(block: Json): { title?: string } {
  const title = asText(block.title);
  return title === null ? {} : { title };
}
