/** The change that a Claude Code file tool made, as a unified diff. Paths are unchanged. Pure. */
import type { FilePart } from "../../../core/turn/item.ts";
import type { Json } from "../../json-fields.ts";
import { asList, asNumber, asObject, asText } from "../../json-fields.ts";

const fileTools = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit"]);

/**
 * Null when the tool changed no file. A subagent's lines lack the program's `result`; then only the call names the
 * file, and the diff is unknown.
 */
export function claudeFileChange(tool: string, input: Json, result: Json): FilePart | null {
  if (!fileTools.has(tool) || asText(result.error)) return null;
  const path = asText(result.filePath) ?? asText(result.notebook_path);
  const requested = asText(input.file_path) ?? asText(input.notebook_path);
  if (path === null) {
    const change = tool === "Write" ? "unknown" : "modified";
    return requested === null ? null : { type: "file", path: requested, change, diff: null };
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
  const [oldLines, newLines] = [linesOf(before), linesOf(after)];
  const shared = Math.min(oldLines.length, newLines.length);
  let head = 0;
  while (head < shared && oldLines[head] === newLines[head]) head += 1;
  let tail = 0;
  while (tail < shared - head && oldLines.at(-1 - tail) === newLines.at(-1 - tail)) tail += 1;
  const removed = oldLines.slice(head, oldLines.length - tail);
  const added = newLines.slice(head, newLines.length - tail);
  if (removed.length === 0 && added.length === 0) return [];
  const range = (lines: readonly string[]) => `${lines.length === 0 ? head : head + 1},${lines.length}`;
  return [`@@ -${range(removed)} +${range(added)} @@`, ...removed.flatMap(marked("-")), ...added.flatMap(marked("+"))];
}

/** Lines keep their line ends, so that a last line without one counts as different. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function marked(sign: string): (line: string) => string[] {
  return (line) =>
    line.endsWith("\n") ? [`${sign}${line.slice(0, -1)}`] : [`${sign}${line}`, "\\ No newline at end of file"];
}
