/** The result of a tool: its output, and whether a person refused or stopped it. Pure. */
import type { ToolState } from "../../../core/turn/signal.ts";
import type { Json } from "../../json-fields.ts";
import { asList, asObject, asText, blocksOf } from "../../json-fields.ts";

export function resultState(block: Json, input: Json, rejected: boolean): ToolState {
  const output = blocksOf(block.content).map(outputOf).join("");
  return block.is_error === true
    ? { status: "error", input, output, rejected }
    : { status: "completed", input, output };
}

/** To the model, refused and stopped calls look the same; these notes tell them apart. */
export function executionNote(line: Json, call: string): { refused: boolean; notRun: string | null } {
  const notes = asList(line.tool_result_meta).map(asObject);
  const note = notes.find((one) => one?.id === call) ?? {};
  const { decision, source } = asObject(note.permission_decision) ?? {};
  return {
    refused: decision === "reject" && asText(source)?.startsWith("user") === true,
    notRun: asText(note.non_execution_kind) ?? asText(line.toolDenialKind),
  };
}

function outputOf(block: Json): string {
  const text = asText(block.text);
  if (text !== null) return text;
  const mime = asText(asObject(block.source)?.media_type);
  return `[${asText(block.type) ?? "unknown"}${mime === null ? "" : ` ${mime}`}]`;
}
