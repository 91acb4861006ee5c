/**
 * How a turn ended, according to its `result` line. Pure. `subtype` is `success` even after a provider error, and an
 * interrupt counts as an error; `terminal_reason` and `is_error` tell them apart.
 */
import type { TurnEndReason } from "../../../core/turn/universal-event.ts";
import type { Json } from "../../json-fields.ts";
import { asList, asText } from "../../json-fields.ts";

/** The reason is null if the program does not give one. */
export function turnEnd(result: Json): { reason: TurnEndReason | null; error: string | null } {
  const why = asText(result.terminal_reason) ?? "";
  if (why.startsWith("aborted")) return { reason: "aborted", error: null };
  if (result.is_error === true) return { reason: "error", error: errorText(result) };
  return { reason: why === "completed" ? "completed" : null, error: null };
}

function errorText(result: Json): string {
  const errors = asList(result.errors).filter((error) => typeof error === "string");
  return asText(result.result) || errors.join("\n") || asText(result.subtype) || "error";
}
