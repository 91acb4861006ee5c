/**
 * Tool calls, file changes and plans in OpenCode's format. Its clients render a tool by its name and by the names of its
 * inputs. Other programs' names are replaced by OpenCode's, if it has such a tool. Pure.
 */
import type { SnapshotFileDiff, Todo } from "@opencode-ai/sdk/v2/types";
import type { FilePart } from "../../../core/turn/item.ts";

type Shape = { name: string; inputs?: Readonly<Record<string, string>> };

const path = { file_path: "filePath", path: "filePath" } as const;
const replaced = { old_string: "oldString", new_string: "newString", oldText: "oldString", newText: "newString" };

/** By the program's name in lower case. */
const shapes: Readonly<Record<string, Shape>> = {
  read: { name: "read", inputs: path },
  write: { name: "write", inputs: path },
  edit: { name: "edit", inputs: { ...path, ...replaced, replace_all: "replaceAll" } },
  bash: { name: "bash" },
  glob: { name: "glob" },
  find: { name: "glob" },
  grep: { name: "grep", inputs: { glob: "include" } },
  ls: { name: "list" },
  webfetch: { name: "webfetch" },
  websearch: { name: "websearch" },
  todowrite: { name: "todowrite" },
  task: { name: "task" },
  agent: { name: "task" },
  askuserquestion: { name: "question" },
};

/** Its calls already use these names. */
const native = "opencode";

export function toolName(providerID: string, name: string): string {
  return providerID === native ? name : (shapes[name.toLowerCase()]?.name ?? name);
}

export function toolInput(providerID: string, name: string, input: unknown): Record<string, unknown> {
  if (!isRecord(input)) return input === undefined || input === null ? {} : { value: input };
  const names = providerID === native ? undefined : shapes[name.toLowerCase()]?.inputs;
  if (!names) return input;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [names[key] ?? key, value]));
}

/** Whether OpenCode's tool of this name changes a file. */
export function writes(tool: string): boolean {
  return tool === "edit" || tool === "write";
}

/** The text that clients show next to a tool's name. */
export function toolTitle(input: Readonly<Record<string, unknown>>): string {
  for (const key of ["filePath", "command", "pattern", "url", "query", "description"]) {
    const value = input[key];
    if (typeof value === "string") return value;
  }
  return "";
}

/** For a to-do list, the list; for a written file, empty diagnostics. */
export function toolMetadata(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (Array.isArray(input.todos)) return { todos: input.todos };
  return typeof input.filePath === "string" && typeof input.content === "string" ? { diagnostics: {} } : {};
}

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
 * The change that a call is about to make, derived only from the call: a person who is asked for permission sees it before the change is made. The file is not
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

/** An agent's plan as OpenCode's to-do list. Formats differ by program; anything but a list counts as empty. */
export function todosOf(value: unknown): Todo[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).map((one) => ({
    content: stringIn(one.content) ?? stringIn(one.subject) ?? "",
    status: stringIn(one.status) ?? "pending",
    priority: stringIn(one.priority) ?? "medium",
  }));
}

function stringIn(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
