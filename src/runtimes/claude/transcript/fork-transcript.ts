/**
 * Forks a Claude Code session by copying its transcript under a new session id, which can be resumed like any other.
 * Rows keep their ids. The program's own `--fork-session` needs a process and cannot leave out the end of the session.
 */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "../../../platform/app-error.ts";
import { writeWholeFile } from "../../../platform/whole-file.ts";
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
    message: "Claude Code's session does not contain that message, or the message joined a turn that was running.",
    hint: "Fork at another message, or name none to fork the whole session.",
  });
}
