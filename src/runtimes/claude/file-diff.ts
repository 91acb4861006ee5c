/** The change that a file tool of Claude Code made, as a unified diff. Pure; paths are given as the tool gave them. */
import type { FilePart } from "../../events/item.ts";
import type { Json } from "./json-fields.ts";
import { asList, asNumber, asObject, asText } from "./json-fields.ts";

const fileTools = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit"]);

/** Null where a tool changed no file, or does not say which. */
export function fileChange(tool: string, result: Json): FilePart | null {
  if (!fileTools.has(tool)) return null;
  const path = asText(result.filePath) ?? asText(result.notebook_path);
  if (path === null || asText(result.error)) return null;
  const isNew = result.type === "create" || result.originalFile === null;
  const hunks = asList(result.structuredPatch).map(asObject);
  const whole = isNew && hunks.length === 0 ? asText(result.content) : null;
  const body = whole === null ? hunks.flatMap((hunk) => (hunk ? hunkLines(hunk) : [])) : newFile(whole);
  const head = [`--- ${isNew ? "/dev/null" : path}`, `+++ ${path}`];
  const diff = body.length === 0 ? null : `${[...head, ...body].join("\n")}\n`;
  return { type: "file", path, change: isNew ? "added" : "modified", diff };
}

function hunkLines(hunk: Json): string[] {
  const range = (start: unknown, lines: unknown) => `${asNumber(start)},${asNumber(lines)}`;
  const head = `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`;
  return [head, ...asList(hunk.lines).filter((line) => typeof line === "string")];
}

function newFile(content: string): string[] {
  if (content === "") return [];
  const lines = content.split("\n");
  const ended = lines.at(-1) === "";
  if (ended) lines.pop();
  const added = lines.map((line) => `+${line}`);
  return [`@@ -0,0 +1,${lines.length} @@`, ...added, ...(ended ? [] : ["\\ No newline at end of file"])];
}
