/** A row of a transcript before anything is in it; whoever reads the program's words fills it in. */
import type { ToolCall, TranscriptRow } from "../core/transcript/transcript.ts";

export type OpenTool = { -readonly [K in keyof ToolCall]: ToolCall[K] };
export type OpenRow = { -readonly [K in keyof TranscriptRow]: TranscriptRow[K] } & { tools: OpenTool[] };

export function newRow(of: Pick<TranscriptRow, "id" | "role" | "parentId" | "createdAt">): OpenRow {
  return {
    ...of,
    continuesId: null,
    text: "",
    reasoning: "",
    tools: [],
    finish: null,
    error: null,
    firstActivityAt: null,
    completedAt: null,
  };
}
