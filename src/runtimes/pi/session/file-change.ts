/** The change that a file tool of pi made, as a unified diff. Pure; paths are given as the tool gave them. */
import type { FilePart } from "../../../core/turn/item.ts";
import type { Json } from "../../json-fields.ts";
import { asText } from "../../json-fields.ts";

/** Null where a tool changed no file. Of a file that was written whole nobody says whether it was there before. */
export function fileChange(tool: string, input: Json, details: Json): FilePart | null {
  const path = asText(input.path);
  if (path === null || (tool !== "edit" && tool !== "write")) return null;
  if (tool === "write") return { type: "file", path, change: "unknown", diff: null };
  const diff = unified(path, asText(details.diff) ?? "");
  return { type: "file", path, change: "modified", diff };
}

type Line = { sign: string; number: number; text: string };

/** pi's own form has a sign, a number and the line; added lines are counted in the new file, all others in the old one. */
function unified(path: string, shown: string): string | null {
  const hunks = hunksOf(shown);
  if (hunks.length === 0) return null;
  let drift = 0;
  const body = hunks.flatMap((lines) => {
    const old = lines.filter(({ sign }) => sign !== "+");
    const made = lines.filter(({ sign }) => sign !== "-");
    const [first] = lines;
    const oldStart = first?.sign === "+" ? first.number - drift : (first?.number ?? 0);
    const head = `@@ -${oldStart},${old.length} +${oldStart + drift},${made.length} @@`;
    drift += made.length - old.length;
    return [head, ...lines.map(({ sign, text }) => `${sign}${text}`)];
  });
  return [`--- ${path}`, `+++ ${path}`, ...body].map((line) => `${line}\n`).join("");
}

/** What is left out between two of them has no number. */
function hunksOf(shown: string): Line[][] {
  const hunks: Line[][] = [];
  let open: Line[] | null = null;
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
