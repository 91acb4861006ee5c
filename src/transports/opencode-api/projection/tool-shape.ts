/**
 * A tool call in OpenCode's format: its clients render a tool by its name and by the names of its inputs. Other
 * programs' names are replaced by OpenCode's, if it has such a tool. Pure.
 */
import { isRecord } from "./json-record.ts";

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
