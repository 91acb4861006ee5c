/** The change that a pi file tool made, as a unified diff. Paths are unchanged. Pure. */
import type { FilePart } from "../../../core/turn/item.ts";
import type { Json } from "../../json-fields.ts";
import { asText } from "../../json-fields.ts";

/** Null if the tool changed no file. `write` does not report whether the file existed before. */
export function piFileChange(tool: string, input: Json, details: Json): FilePart | null {
  const path = asText(input.path);
  if (path === null || (tool !== "edit" && tool !== "write")) return null;
  if (tool === "write") return { type: "file", path, change: "unknown", diff: null };
  const diff = unified(path, asText(details.diff) ?? "");
  return { type: "file", path, change: "modified", diff };
}

type DiffLine = { sign: string; number: number; text: string };

/** pi's diff lines have a sign, a number and text. Added lines are numbered in the new file, all others in the old. */
function unified(path: string, shown: string): string | null {
  const hunks = hunksOf(shown);
  if (hunks.length === 0) return null;
  let drift = 0;
  const body = hunks.flatMap((lines) => {
    const old = lines.filter(({ sign }) => sign !== "+");
    const added = lines.filter(({ sign }) => sign !== "-");
    const [first] = lines;
    const oldStart = first?.sign === "+" ? first.number - drift : (first?.number ?? 0);
    const head = `@@ -${oldStart},${old.length} +${oldStart + drift},${added.length} @@`;
    drift += added.length - old.length;
    return [head, ...lines.map(({ sign, text }) => `${sign}${text}`)];
  });
  return [`--- ${path}`, `+++ ${path}`, ...body].map((line) => `${line}\n`).join("");
}

/** A line without a number separates two hunks. */
function hunksOf(shown: string): DiffLine[][] {
  const hunks: DiffLine[][] = [];
  let open: DiffLine[] | null = null;
  for (const line of shown.split("\n")) {
    const found = /^([ +-])\s*(\d+) (.*)$/.exec(line);
    if (!found) {
      open = null;
      continue;
    }
    if (open === null) {
      open = [];
      hunks.push(open);
    }
    const [, sign = " ", number = "0", text = ""] = found;
    open.push({ sign, number: Number(number), text });
  }
  return hunks.filter((lines) => lines.some(({ sign }) => sign !== " "));
}
