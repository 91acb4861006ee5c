/**
 * The files of a prompt. One in the agent's workspace, named by URL, becomes a reference in the text, unless the text
 * already names it. One that is included as a `data:` URL, such as a pasted picture, becomes an attachment of its message.
 * Any other file is refused.
 */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Attachment } from "../../../core/message/message.ts";
import { AppError } from "../../../platform/app-error.ts";
import { realPathIfAny, resolvedPath } from "../../../platform/inside.ts";
import type { Service, Workspace } from "../../../service/service.ts";
import { isShown } from "../../../service/workspace/workspace.ts";
import { missing, notAllowed } from "../workspace/files.ts";
import type { PromptBody } from "./prompt-body.ts";

export type FilePart = Extract<PromptBody["parts"][number], { type: "file" }>;

/** The line to add below the text; null if the text already names all files. */
export function fileReferences(files: readonly FilePart[], text: string, workspace: Workspace): string | null {
  const references = files.flatMap((file) => referenceTo(file, text, workspace));
  return references.length === 0 ? null : `Files of this message: ${references.join(", ")}`;
}

function referenceTo(file: FilePart, text: string, workspace: Workspace): string[] {
  const path = pathOf(file);
  const shown = relative(workspace.directory, path) || ".";
  // Resolves links, including those in the path of a file that does not exist.
  if (!isShown(workspace, resolvedPath(path))) throw notAllowed(file.filename ?? shown);
  const name = file.source?.text?.value ?? "";
  if (name.startsWith("@") && text.includes(name)) return [];
  if (realPathIfAny(path) === null) throw missing(shown);
  return [`\`${shown}\`${linesOf(file.url)}`];
}

function pathOf({ url, filename, mime }: FilePart): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    throw new AppError({
      code: "attachments_not_supported",
      message: `Files must be \`data:\` URLs, or \`file://\` URLs in the agent's workspace (${filename ?? mime}).`,
      hint: "Put the file in the agent's workspace, and name it in the text.",
      cause,
    });
  }
}

/** OpenCode's clients put the selected lines into the URL. */
function linesOf(url: string): string {
  const { searchParams } = new URL(url);
  const [start, end] = [searchParams.get("start"), searchParams.get("end")];
  if (start === null || !/^\d{1,9}$/.test(start)) return "";
  return end !== null && /^\d{1,9}$/.test(end) && end !== start ? ` (lines ${start} to ${end})` : ` (line ${start})`;
}

export function isDataFile({ url }: FilePart): boolean {
  return /^data:/i.test(url);
}

/** Safe to repeat: a prompt that is sent again has the same attachments. */
export async function storeDataFiles(
  files: readonly FilePart[],
  { storeAttachment }: Pick<Service, "storeAttachment">,
): Promise<Attachment[]> {
  const decoded = files.map(({ filename, mime, url }) => ({
    name: filename ?? "file",
    mimeType: mime,
    bytes: bytesIn(url),
  }));
  const stored: Attachment[] = [];
  for (const file of decoded) stored.push(await storeAttachment(file));
  return stored;
}

function bytesIn(url: string): Uint8Array {
  const [, parameters = "", data] = /^data:([^,]*),(.*)$/is.exec(url) ?? [];
  try {
    if (data !== undefined)
      return Buffer.from(decodeURIComponent(data), /;base64$/i.test(parameters) ? "base64" : "utf8");
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  throw new AppError({ code: "invalid_request", message: "A file has an invalid `data:` URL." });
}
