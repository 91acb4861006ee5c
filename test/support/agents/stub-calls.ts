/** The calls of a built process to the stub agent, in order: a record that does not depend on Waybill. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TranscriptSlice } from "../../../src/core/transcript/transcript.ts";
import type { JournalEntry } from "../../../src/runtimes/stub/journal.ts";

export type StubCall = { lane: string; session: string } & (
  | { call: "read"; status: TranscriptSlice["status"]; rows: string[] }
  | { call: "submit"; id: string }
);

const preload = new URL("record-stub-calls.mjs", import.meta.url).href;

/** The environment that makes a process write its calls to this directory. */
export function recordingCalls(directory: string): Record<string, string> {
  return { NODE_OPTIONS: `--import=${preload}`, ...callsOf(directory) };
}

/** The same for a program that imports `record-stub-calls.mjs` itself. */
export function callsOf(directory: string): Record<string, string> {
  return { WAYBILL_TEST_CALLS: callsPath(directory) };
}

export function stubCalls(directory: string): StubCall[] {
  const path = callsPath(directory);
  // What follows the last line break is being written.
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
  return lines.map((line) => JSON.parse(line) as StubCall);
}

/**
 * Prompts that were sent although the session was not seen idle in between with the lane's previous prompt in it. A prompt
 * that never arrived cannot be seen there: `journal` is the agent's own record.
 */
export function unreadPrompts(calls: readonly StubCall[], journal: readonly JournalEntry[]): string[] {
  const prompts = journal.filter((entry) => entry.type === "prompt");
  return [...new Set(prompts.map(({ lane }) => lane))].flatMap((lane) => {
    const arrived = prompts.filter((entry) => entry.lane === lane).values();
    const unread: string[] = [];
    let before: { session: string; id: string; stored: boolean } | null = null;
    let seenAtRest = true;
    for (const one of calls.filter((call) => call.lane === lane)) {
      if (one.call === "submit") {
        if (!seenAtRest) unread.push(`${lane}: ${one.id}`);
        before = { session: one.session, id: one.id, stored: isStored(arrived.next().value) };
        seenAtRest = false;
      } else if (before?.session === one.session && one.status !== "busy" && one.status !== "retry") {
        seenAtRest ||= one.status === "stale" || !before.stored || one.rows.includes(before.id);
      }
    }
    return unread;
  });
}

function isStored(entry: Extract<JournalEntry, { type: "prompt" }> | undefined): boolean {
  return entry !== undefined && !["lost", "unavailable", "refused"].includes(entry.arrival);
}

function callsPath(directory: string): string {
  return join(directory, "stub-calls.jsonl");
}
