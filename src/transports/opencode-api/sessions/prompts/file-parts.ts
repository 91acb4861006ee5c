/**
 * Files that a prompt names by URL. A file in the agent's workspace becomes a reference in the text, unless the text
 * already names it. Any other file is refused. data-files.ts handles files that are included in the prompt.
 */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "../../../../platform/app-error.ts";
import { realPathIfAny, resolvedPath } from "../../../../platform/inside.ts";
import type { Workspace } from "../../../../service/service.ts";
import { isShown } from "../../../../service/workspace/is-shown.ts";
import { missing, notAllowed } from "../../workspace/path-inside.ts";
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
