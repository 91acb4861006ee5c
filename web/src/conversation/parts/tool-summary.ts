/** A one-line summary of a tool call. Pure. */
import { exactText } from "../../ui/safe-text.ts";

/** The most telling field of a tool's input, by the names that programs use. */
const telling = [
  "command",
  "filePath",
  "file_path",
  "path",
  "pattern",
  "query",
  "url",
  "description",
  "prompt",
  "title",
  "text",
];
const maxCharacters = 200;

export function toolSummary(input: unknown): string {
  if (typeof input === "string") return cut(input);
  if (typeof input !== "object" || input === null) return "";
  const fields = input as Record<string, unknown>;
  const field = telling.find((name) => typeof fields[name] === "string" && fields[name] !== "");
  if (field !== undefined) return cut(String(fields[field]));
  const [first] = Object.entries(fields);
  return first === undefined ? "" : cut(`${first[0]}: ${JSON.stringify(first[1])}`);
}

function cut(text: string): string {
  const [line = ""] = text.split("\n");
  const exact = exactText(line);
  return exact.length > maxCharacters ? `${exact.slice(0, maxCharacters)}…` : exact;
}
