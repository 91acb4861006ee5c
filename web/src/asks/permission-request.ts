/** What a permission is about, from what its program reports: enough to decide, with nothing left out. Pure. */
import type { Ask } from "waybill/client";

/** A text that is shown unchanged. `change`: it is removed, or replaces the removed text. */
export type Shown = { label: string; text: string; change?: "removed" | "added" };

export type PermissionRequest = {
  /** The waiting tool, if known. */
  tool: string | null;
  /** The command, the path, the address: in full. */
  shown: readonly Shown[];
  diff: string | null;
  /** The file to be changed. */
  path: string | null;
  /** Other known fields. */
  other: Readonly<Record<string, unknown>> | null;
  /** What "always" would cover, if the program says so. */
  always: readonly string[];
};

/** Programs have different names for the same field. Shown in this order. */
const labels: Readonly<Record<string, string>> = {
  command: "Command",
  filePath: "Path",
  file_path: "Path",
  filepath: "Path",
  notebook_path: "Path",
  path: "Path",
  url: "Address",
  query: "Search",
  pattern: "Pattern",
  content: "Content",
};
const pathNames = new Set(["filePath", "file_path", "filepath", "notebook_path", "path"]);
/** The names that programs use for the text before and after a change. */
const changeNames = [
  ["oldString", "newString"],
  ["old_string", "new_string"],
  ["oldText", "newText"],
] as const;
/** A diff shows these, and so do the replacements. */
const inChange = new Set(["edits", ...changeNames.flat()]);
/** A diff also shows these. */
const inDiff = new Set([...inChange, "content", "patchText", "patch", "diff"]);
/** What programs report about their tool, rather than as its input. */
const meta = new Set(["tool", "input", "suggestions", "always"]);

type Fields = Readonly<Record<string, unknown>>;
type AskSubject = Pick<Ask, "title" | "tool" | "input" | "detail" | "diff">;

export function permissionRequest(ask: AskSubject): PermissionRequest {
  const { tool, diff } = ask;
  const detail = fieldsOf(ask.detail);
  const fields = firstOf(fieldsOf(ask.input), fieldsOf(detail.input), without(detail, meta));
  const replaced = diff === null ? replacements(fields) : [];
  const hidden = diff === null ? (replaced.length > 0 ? inChange : new Set<string>()) : inDiff;
  const known = Object.keys(labels).filter((name) => isText(fields[name]) && !hidden.has(name));
  const texts = known.map((name): Shown => ({ label: labels[name] ?? name, text: String(fields[name]) }));
  const wanted = wantedBy(ask, texts);
  const left = without({ ...without(detail, meta), ...fields }, new Set([...known, ...hidden, "diff"]));
  const pathName = known.find((name) => pathNames.has(name));
  return {
    tool,
    shown: [...(wanted === "" ? [] : [{ label: "Asks for", text: wanted }]), ...texts, ...replaced],
    diff,
    path: pathName === undefined ? null : String(fields[pathName]),
    other: Object.keys(left).length === 0 ? null : left,
    always: alwaysCovers(detail),
  };
}

/** A request in an inbox file can only be allowed once; its program has no permanent rules. */
export function takesAlways({ id }: Pick<Ask, "id">): boolean {
  return !id.startsWith("inbox:");
}

/** What the title says beyond the tool and its input. Most titles consist of just these: "bash: ls -la". */
function wantedBy({ title, tool }: AskSubject, texts: readonly Shown[]): string {
  if (texts.some(({ text }) => title === text || title.endsWith(`: ${text}`))) return "";
  const isOfTool = tool !== null && title.toLowerCase().startsWith(`${tool.toLowerCase()}: `);
  return isOfTool ? title.slice(tool.length + 2) : title;
}

/** The texts given to an editing tool, if the program made no diff of them. */
function replacements(fields: Fields): Shown[] {
  const edits = Array.isArray(fields.edits) ? fields.edits.map(fieldsOf) : [];
  return [fields, ...edits].flatMap((edit) =>
    changeNames.flatMap(([before, after]): Shown[] => {
      if (typeof edit[before] !== "string" || typeof edit[after] !== "string") return [];
      const removed: Shown = { label: "Replaces", text: edit[before], change: "removed" };
      const added: Shown = { label: "With", text: edit[after], change: "added" };
      return edit[before] === "" ? [added] : [removed, added];
    }),
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** The first that is not empty. */
function firstOf(...all: readonly Fields[]): Fields {
  return all.find((fields) => Object.keys(fields).length > 0) ?? {};
}

function without(fields: Fields, names: ReadonlySet<string>): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
}

function alwaysCovers({ always, suggestions }: Fields): string[] {
  const patterns = listOf(always).filter((pattern) => typeof pattern === "string");
  return [...patterns, ...listOf(suggestions).flatMap((one) => ruleWords(fieldsOf(one)))];
}

/** Claude Code suggests what it would add to its own rules. */
function ruleWords({ type, rules, mode, directories }: Fields): string[] {
  if (type === "setMode") return typeof mode === "string" ? [`mode ${mode}`] : [];
  if (type === "addDirectories") return listOf(directories).map(String);
  return listOf(rules).flatMap((rule) => {
    const { toolName, ruleContent } = fieldsOf(rule);
    if (typeof toolName !== "string") return [];
    return [typeof ruleContent === "string" ? `${toolName}(${ruleContent})` : toolName];
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
