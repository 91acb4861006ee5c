/** Reads what Abacus prints and stores: the rows of its transcript, and its asks. Pure. */
import type { TranscriptRow } from "../../../../src/core/transcript/transcript.ts";
import type { Json } from "../../../../src/runtimes/json-fields.ts";
import { asNumber, asObject, asText } from "../../../../src/runtimes/json-fields.ts";
import type { AgentAsk } from "../../../../src/runtimes/process-pool/asks.ts";
import { permissionTitle, questionsIn, questionsTitle } from "../../../../src/runtimes/process-pool/asks.ts";
import { emptyRow } from "../../../../src/runtimes/process-pool/transcript-slice.ts";

/** `tool` is a call with its result; a row with one does not end its turn. */
export function rowIn({ id, parent, text, at, tool, error }: Json): TranscriptRow {
  const call = asObject(tool);
  const name = asText(call?.name) ?? "";
  const rejected = call?.rejected === true;
  const status = rejected ? ("error" as const) : ("completed" as const);
  const input = asObject(call?.input) ?? {};
  const output = asText(call?.output) ?? "";
  const message = asText(error);
  return {
    ...emptyRow,
    id: asText(id) ?? "",
    role: parent === null ? "user" : "assistant",
    parentId: asText(parent),
    text: asText(text) ?? "",
    tools: call ? [{ id: asText(call.id) ?? "", name, status, input, output, rejected }] : [],
    finish: parent === null ? null : call && !rejected ? "tool-calls" : "stop",
    error: message === null ? null : { kind: "aborted", message },
    createdAt: asNumber(at),
    firstActivityAt: parent === null ? null : asNumber(at),
    completedAt: asNumber(at),
  };
}

export function askIn(id: string | number, { call, tool, input }: Json): AgentAsk {
  const given = asObject(input) ?? {};
  const questions = tool === "question" ? questionsIn(given) : [];
  const asked =
    questions.length > 0
      ? { kind: "question" as const, title: questionsTitle(questions) }
      : { kind: "permission" as const, title: permissionTitle(asText(tool) ?? "", given) };
  return { id: String(id), ...asked, call: asText(call), detail: { tool, input }, questions };
}
