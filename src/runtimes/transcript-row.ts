/** An empty transcript row that readers fill in. */
import type { ToolCall, TranscriptRow } from "../core/transcript/transcript.ts";

export type MutableToolCall = { -readonly [K in keyof ToolCall]: ToolCall[K] };
export type MutableRow = { -readonly [K in keyof TranscriptRow]: TranscriptRow[K] } & { tools: MutableToolCall[] };

export const emptyRow = {
  continuesId: null,
  text: "",
  reasoning: "",
  finish: null,
  error: null,
  firstActivityAt: null,
  completedAt: null,
} as const satisfies Partial<TranscriptRow>;
