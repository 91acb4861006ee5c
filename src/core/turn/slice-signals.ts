/**
 * Turns a slice of a transcript into signals: all there is for a program that has no event stream. Rows are taken as
 * they are. Asks that disappear from the slice have to be signalled by the code that answered them. Pure.
 */
import type { TranscriptRow, TranscriptSlice } from "../transcript/transcript.ts";
import type { Signal, SignalBody } from "./signal.ts";

export function signalsOf(slice: TranscriptSlice, at: number): Signal[] {
  const { sessionId: session, rows, asks, status } = slice;
  const byItself = new Set(rows.filter(({ role }) => role === "system").map(({ id }) => id));
  const said: SignalBody[] = rows.flatMap((row) => ofRow(row, byItself));
  for (const { id: ask, kind, title } of asks) {
    if (kind === "permission") said.push({ type: "permission", ask, title, call: null, detail: null });
    else {
      const questions = [{ header: null, question: title, options: [], multiple: false }];
      said.push({ type: "question", ask, call: null, questions });
    }
  }
  said.push(
    status === "stale" ? { type: "session_ended", reason: "stale" } : { type: status === "idle" ? "rest" : "busy" },
  );
  return said.map((one) => ({ at, session, ...one }));
}

/** The rows of the newest turn, from its prompt on. */
export function newestTurn(rows: readonly TranscriptRow[]): readonly TranscriptRow[] {
  const prompt = rows.findLastIndex(({ role, continuesId }) => role === "user" && continuesId === null);
  return prompt < 0 ? [] : rows.slice(prompt);
}

/** A turn that the program started on its own answers no prompt. */
function ofRow(row: TranscriptRow, byItself: ReadonlySet<string>): SignalBody[] {
  const { id: message, text, role } = row;
  if (role === "user") return [{ type: "prompt", message, parts: [{ type: "text", id: `${message}:text`, text }] }];
  if (role !== "assistant") return [];
  return [
    { type: "message", message, prompt: byItself.has(row.parentId ?? "") ? null : row.parentId },
    ...wordsOf(row, "reasoning"),
    ...wordsOf(row, "text"),
    ...row.tools.flatMap(({ id: call, name, input, output, rejected, status, files = [] }): SignalBody[] => [
      { type: "tool", message, call, name, state: { status, input, output, rejected } },
      ...files.map((file): SignalBody => ({ type: "file", message, file: { type: "file", ...file } })),
    ]),
    ...endOf(row),
  ];
}

function wordsOf({ id: message, ...row }: TranscriptRow, kind: "text" | "reasoning"): SignalBody[] {
  return row[kind] === "" ? [] : [{ type: "part", message, part: `${message}:${kind}`, kind, text: row[kind] }];
}

function endOf({ id: message, completedAt, error, usage }: TranscriptRow): SignalBody[] {
  if (completedAt === null) return [];
  const tokens = { input: usage?.tokens ?? 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
  return [{ type: "message_done", message, error, usage: usage ? { tokens, cost: usage.cost, model: null } : null }];
}
