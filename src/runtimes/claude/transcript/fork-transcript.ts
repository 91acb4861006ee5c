/**
 * Forks a session of Claude Code: copies its transcript under another id, which a resume accepts like any session. Rows
 * keep their ids. The program's own `--fork-session` needs a process, and cannot leave out the end.
 */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "../../../app-error.ts";
import { writeWholeFile } from "../../../whole-file.ts";
import { jsonLines } from "../../json-fields.ts";

/** A session without messages has no file, like every session before its first prompt. */
export async function forkTranscript(
  path: string,
  before: string | null,
): Promise<{ sessionId: string; hasFile: boolean }> {
  const rows = jsonLines(await readFile(path, "utf8"));
  const end = before === null ? rows.length : rows.findIndex(({ type, uuid }) => type === "user" && uuid === before);
  if (end < 0) throw promptUnknown();
  const sessionId = randomUUID();
  const copied = rows.slice(0, end);
  if (!copied.some(({ type }) => type === "user" || type === "assistant")) return { sessionId, hasFile: false };
  const lines = copied.map((row) => `${JSON.stringify("sessionId" in row ? { ...row, sessionId } : row)}\n`);
  writeWholeFile(join(dirname(path), `${sessionId}.jsonl`), lines.join(""));
  return { sessionId, hasFile: true };
}

function promptUnknown(): AppError {
  return new AppError({
    code: "message_unknown",
    message: "Claude Code's session does not have that message, or it joined a turn that ran.",
    hint: "Name another message, or none.",
  });
}
