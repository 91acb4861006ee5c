/** Claude Code's report at the end of a turn. Pure. */
import type { Json } from "../../json-fields.ts";
import { asList, asNumber, asObject, asText } from "../../json-fields.ts";

export type TurnResult = { prompts: readonly string[]; at: number; error: string | null; cost: number | null };

export function turnResult(line: Json, openPrompts: Iterable<string>, at: number): TurnResult {
  const error = line.is_error === true ? (asText(line.result) ?? asText(line.subtype) ?? "error") : null;
  return { prompts: endedPrompts(line, openPrompts), at, error, cost: costOf(line) };
}

/** Older versions do not name the prompts; then it is the oldest open one that has ended. */
export function endedPrompts(line: Json, openPrompts: Iterable<string>): readonly string[] {
  const named = asList(line.user_message_uuids).filter((uuid) => typeof uuid === "string");
  return named.length > 0 || line.origin != null ? named : [...openPrompts].slice(0, 1);
}

/** The program also reports a total, but that accumulates over turns, and sometimes over restarts. */
function costOf(line: Json): number | null {
  const models = asObject(line.model_usage_since_last_result);
  return models && Object.values(models).reduce<number>((sum, one) => sum + asNumber(asObject(one)?.costUSD), 0);
}
