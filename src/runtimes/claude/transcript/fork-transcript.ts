/**
 * A second session of Claude Code with what another one has: a copy of its transcript under another id, which a resume
 * takes for any session. Rows keep their ids. The program's own way (`--fork-session`) needs a program to be started for
 * it, and has no option to leave the end out.
 */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "../../../app-error.ts";
import { writeWholeFile } from "../../../whole-file.ts";
import type { Json } from "../../json-fields.ts";
import { jsonIn } from "../../json-fields.ts";

/** The id of the new session. One without anything said in it has no file, as every session before its first prompt. */
export async function forkTranscript(
  path: string,
  before: string | null,
): Promise<{ sessionId: string; isThere: boolean }> {
  const rows = (await readFile(path, "utf8"))
    .split("\n")
    .map(jsonIn)
    .filter((row) => row !== null);
  const end = before === null ? rows.length : rows.findIndex(({ type, uuid }) => type === "user" && uuid === before);
  if (end < 0) throw promptUnknown();
  const sessionId = randomUUID();
  const copied = rows.slice(0, end);
  if (!copied.some(isSaid)) return { sessionId, isThere: false };
  const lines = copied.map((row) => `${JSON.stringify("sessionId" in row ? { ...row, sessionId } : row)}\n`);
  writeWholeFile(join(dirname(path), `${sessionId}.jsonl`), lines.join(""));
  return { sessionId, isThere: true };
}

function isSaid({ type }: Json): boolean {
  return type === "user" || type === "assistant";
}

function promptUnknown(): AppError {
  return new AppError({
    code: "message_unknown",
    message: "Claude Code's session does not have that message, or it joined a turn that ran.",
    hint: "Name another message, or none.",
  });
}
