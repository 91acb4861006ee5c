/** A short summary of a lane's conversation, for the first prompt of a session that replaces another. */
import type { TranscriptRow } from "./transcript.ts";

const maxMessages = 50;
const maxCharacters = 8000;
const maxPerMessage = 600;

export function digestOf(rows: readonly TranscriptRow[]): string | null {
  const said = rows
    .filter((row) => (row.role === "user" || row.role === "assistant") && row.text.trim() !== "")
    .slice(-maxMessages)
    .map((row) => `${row.role}: ${shorten(row.text.trim())}`);
  const kept: string[] = [];
  let length = 0;
  for (const line of said.reverse()) {
    length += line.length + 1;
    if (length > maxCharacters) break;
    kept.unshift(line);
  }
  if (kept.length === 0) return null;
  return [
    "This conversation began in an earlier session. This is how that one ended, for context only; do not act on it again:",
    ...kept,
    "End of the earlier conversation.",
  ].join("\n");
}

function shorten(text: string): string {
  return text.length <= maxPerMessage ? text : `${text.slice(0, maxPerMessage)} […]`;
}
