/** The change that a file tool of Claude Code made, as a unified diff. Pure; paths are given as the tool gave them. */
import type { FilePart } from "../../../core/turn/item.ts";
import type { Json } from "../../json-fields.ts";
import { asList, asNumber, asObject, asText } from "../../json-fields.ts";

const fileTools = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit"]);

/**
 * Null where a tool changed no file. The result is the program's note on what was done, which a subagent's lines do not
 * have: there the call says which file it was, and nobody what has changed.
 */
export function fileChange(tool: string, input: Json, result: Json): FilePart | null {
  if (!fileTools.has(tool) || asText(result.error)) return null;
  const path = asText(result.filePath) ?? asText(result.notebook_path);
  const asked = asText(input.file_path) ?? asText(input.notebook_path);
  if (path === null) {
    const change = tool === "Write" ? "unknown" : "modified";
    return asked === null ? null : { type: "file", path: asked, change, diff: null };
  }
  const isNew = result.type === "create" || result.originalFile === null;
  const body = changesIn(result, isNew);
  const diff = [`--- ${isNew ? "/dev/null" : path}`, `+++ ${path}`, ...body].map((line) => `${line}\n`).join("");
  return { type: "file", path, change: isNew ? "added" : "modified", diff: body.length === 0 ? null : diff };
}

function changesIn(result: Json, isNew: boolean): string[] {
  const hunks = asList(result.structuredPatch).map((hunk) => asObject(hunk) ?? {});
  if (hunks.length > 0) return hunks.flatMap(hunkLines);
  if (isNew) return wholeHunk("", asText(result.content) ?? "");
  const [before, after] = [asText(result.original_file), asText(result.updated_file)];
  return before === null || after === null ? [] : wholeHunk(before, after);
}

function hunkLines(hunk: Json): string[] {
  const range = (start: unknown, lines: unknown) => `${asNumber(start)},${asNumber(lines)}`;
  const head = `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`;
  return [head, ...asList(hunk.lines).filter((line) => typeof line === "string")];
}

/** One hunk, from the first line that differs to the last. */
function wholeHunk(before: string, after: string): string[] {
  const [old, made] = [linesOf(before), linesOf(after)];
  const most = Math.min(old.length, made.length);
  let head = 0;
  while (head < most && old[head] === made[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === made.at(-1 - tail)) tail += 1;
  const gone = old.slice(head, old.length - tail);
  const come = made.slice(head, made.length - tail);
  if (gone.length === 0 && come.length === 0) return [];
  const range = (lines: readonly string[]) => `${lines.length === 0 ? head : head + 1},${lines.length}`;
  return [`@@ -${range(gone)} +${range(come)} @@`, ...gone.flatMap(marked("-")), ...come.flatMap(marked("+"))];
}

/** With their ends, since a last line without one is another line. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function marked(sign: string): (line: string) => string[] {
  return (line) =>
    line.endsWith("\n") ? [`${sign}${line.slice(0, -1)}`] : [`${sign}${line}`, "\\ No newline at end of file"];
}
