/** The parts of a prompt for OpenCode: its text, and one part per file. The same prompt always has the same ids. */
import { fileText, readFiles } from "../../model-files.ts";
import type { Prompt } from "../../port.ts";
import type { PromptPart } from "../server/opencode-api.ts";

export async function promptParts({ partId, text, attachments }: Prompt): Promise<PromptPart[]> {
  const files = await readFiles(attachments);
  return [
    { id: partId, type: "text", text },
    ...files.map((file, index): PromptPart => {
      // OpenCode orders parts by id, so the ids of files begin with the id of the text.
      const id = `${partId}${String(index + 1).padStart(2, "0")}`;
      // OpenCode would turn a text file into new parts each time it is sent.
      if (file.kind === "text") return { id, type: "text", text: fileText(file), synthetic: true };
      const url = `data:${file.mimeType};base64,${file.base64}`;
      return { id, type: "file", mime: file.mimeType, filename: file.name, url };
    }),
  ];
}
