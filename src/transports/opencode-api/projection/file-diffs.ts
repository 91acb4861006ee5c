/** File changes in OpenCode's format: those already made, and those that a call is about to make. Pure. */
import type { SnapshotFileDiff } from "@opencode-ai/sdk/v2/types";
import type { FilePart } from "../../../core/turn/item.ts";

export function fileDiff({ path, change, diff }: FilePart): SnapshotFileDiff {
  const lines = diff === null ? [] : diff.split("\n");
  return {
    file: path,
    ...(diff === null ? {} : { patch: diff }),
    additions: lines.filter((line) => line.startsWith("+") && !line.startsWith("+++")).length,
    deletions: lines.filter((line) => line.startsWith("-") && !line.startsWith("---")).length,
    ...(change === "unknown" ? {} : { status: change }),
  };
}

/**
 * Derived only from the call: a person who is asked for permission sees it before the change is made. The file is not
 * read, so line numbers count from the start of the passage, not of the file.
 */
export function proposedDiff(file: string, input: Readonly<Record<string, unknown>>): string | null {
  const passages = passagesOf(input);
  if (passages.length === 0) return null;
  return [`--- ${file}`, `+++ ${file}`, ...passages.flatMap(hunkOf), ""].join("\n");
}

type Passage = { before: string; after: string };

function passagesOf({ oldString, newString, content, edits }: Readonly<Record<string, unknown>>): Passage[] {
  if (typeof content === "string") return [{ before: "", after: content }];
  if (typeof oldString === "string" && typeof newString === "string") return [{ before: oldString, after: newString }];
  return Array.isArray(edits) ? edits.flatMap(passageOf) : [];
}

/** A call of pi may have several edits. */
function passageOf(edit: { oldText?: unknown; newText?: unknown } | null): Passage[] {
  const { oldText, newText } = edit ?? {};
  return typeof oldText === "string" && typeof newText === "string" ? [{ before: oldText, after: newText }] : [];
}

function hunkOf({ before, after }: Passage): string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const head = `@@ -${old.length === 0 ? 0 : 1},${old.length} +${now.length === 0 ? 0 : 1},${now.length} @@`;
  return [head, ...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)];
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
