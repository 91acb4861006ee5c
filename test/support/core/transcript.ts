/** Small builders for transcripts and for what is searched in them. Defaults are the uneventful case. */
import type { Attempt } from "../../../src/core/delivery/attempt.ts";
import { laterAttemptFields } from "../../../src/core/delivery/attempt.ts";
import type { Evidence } from "../../../src/core/proof/observation.ts";
import { noEvidence } from "../../../src/core/proof/observation.ts";
import type { SentMessage } from "../../../src/core/proof/sends.ts";
import type { Ask, ToolCall, TranscriptRow, TranscriptSlice } from "../../../src/core/transcript/transcript.ts";
import { emptyRow } from "../../../src/runtimes/process-pool/transcript-slice.ts";

export const defaultSession = "ses-1";

function aRow({ id, role, ...row }: Partial<TranscriptRow> & Pick<TranscriptRow, "id" | "role">): TranscriptRow {
  return { ...emptyRow, id, role, parentId: null, createdAt: 0, tools: [], completedAt: 0, ...row };
}

export function userRow(id: string, row: Partial<TranscriptRow> = {}): TranscriptRow {
  return aRow({ id, role: "user", text: `prompt ${id}`, ...row });
}

/** A finished answer to a user row; its id is `PARENT-answer` by default. */
export function answerRow(parentId: string, row: Partial<TranscriptRow> = {}): TranscriptRow {
  return aRow({ id: `${parentId}-answer`, role: "assistant", parentId, finish: "stop", ...row });
}

/** A row that called tools and should be followed by another one. */
export function toolRow(parentId: string, tools: readonly ToolCall[], row: Partial<TranscriptRow> = {}): TranscriptRow {
  return answerRow(parentId, { id: `${parentId}-tools`, tools, finish: "tool-calls", ...row });
}

export function aTool(name: string, tool: Partial<ToolCall> = {}): ToolCall {
  return { id: `call-${name}`, name, status: "completed", input: {}, output: "ok", rejected: false, ...tool };
}

export function anAsk(kind: Ask["kind"], ask: Partial<Ask> = {}): Ask {
  return { id: `ask-${kind}`, kind, sessionId: defaultSession, title: "May I?", askedAt: null, ...ask };
}

export function aSlice(rows: readonly TranscriptRow[], slice: Partial<TranscriptSlice> = {}): TranscriptSlice {
  return {
    sessionId: defaultSession,
    status: "idle",
    asks: [],
    rows,
    complete: true,
    lastActivityAt: null,
    ...slice,
  };
}

/** Its runtime message id is `prompt-NUMBER` by default. */
export function anAttempt(attempt: Partial<Attempt> = {}): Attempt {
  const number = attempt.number ?? 1;
  return {
    ...laterAttemptFields,
    number,
    kind: number === 1 ? "prompt" : "retry",
    spends: "attempts",
    because: null,
    messageId: `prompt-${number}`,
    partId: `part-${number}`,
    sessionId: defaultSession,
    generation: 1,
    prePromptCursor: null,
    sends: 1,
    left: true,
    submittedAt: 0,
    ...attempt,
  };
}

export function someEvidence(evidence: Partial<Evidence> = {}): Evidence {
  return { ...noEvidence, ...evidence };
}

/** A reply that names the message and went to its sender. */
export function aSentMessage(text: string, sent: Partial<SentMessage> = {}): SentMessage {
  return { text, summary: null, outcome: null, relay: "this", toReplyRecipient: true, ...sent };
}
