/**
 * Files that a prompt names by address. An agent can read what lies where it works: such a file goes as a reference in the
 * text, unless the text names it already. Any other is refused. Files that come with the prompt are in data-files.ts.
 */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "../../../../app-error.ts";
import { realPathIfAny, resolvedPath } from "../../../../inside.ts";
import type { Workspace } from "../../../../service/service.ts";
import { isShown, missing, notAllowed } from "../../workspace/path-inside.ts";
import type { PromptBody } from "./prompt-body.ts";

export type FilePart = Extract<PromptBody["parts"][number], { type: "file" }>;

/** What is to stand below the text; null where it names all of them. */
export function fileReferences(files: readonly FilePart[], text: string, workspace: Workspace): string | null {
  const references = files.flatMap((file) => referenceTo(file, text, workspace));
  return references.length === 0 ? null : `Files of this message: ${references.join(", ")}`;
}

function referenceTo(file: FilePart, text: string, workspace: Workspace): string[] {
  const path = pathOf(file);
  const shown = relative(workspace.directory, path) || ".";
  // Links are followed, also those on the way to a file that is not there.
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
      message: `Files are taken as \`data:\`, or as \`file://\` from where the agent works (${filename ?? mime}).`,
      hint: "Put the file where the agent works, and name it in the text.",
      cause,
    });
  }
}

/** OpenCode's clients name the lines that were selected in the address. */
function linesOf(url: string): string {
  const { searchParams } = new URL(url);
  const [start, end] = [searchParams.get("start"), searchParams.get("end")];
  if (start === null || !/^\d{1,9}$/.test(start)) return "";
  return end !== null && /^\d{1,9}$/.test(end) && end !== start ? ` (lines ${start} to ${end})` : ` (line ${start})`;
}
