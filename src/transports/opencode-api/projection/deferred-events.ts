/**
 * What waits for the next event before it is told. A message that failed, and the results that its calls never got: OpenCode
 * says first why. The result of a call that writes a file: OpenCode tells it with the change, once. Pure.
 */
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { Emitted } from "./emitted.ts";
import { toolName, writes } from "./tool-shape.ts";

export function isHeldBack(event: UniversalEvent, providerID: string, isHolding: boolean): boolean {
  return hasFailed(event) || hasWritten(event, providerID, isHolding);
}

function hasFailed(event: UniversalEvent): boolean {
  if (event.type !== "item.completed" || event.nativeSession !== undefined) return false;
  const { kind, role, status } = event.data.item;
  return status === "failed" && (role === "assistant" || (kind === "tool_result" && event.synthetic));
}

/** A call that writes has its result, or what it wrote is about to be told. */
function hasWritten({ type, data }: UniversalEvent, providerID: string, isHolding: boolean): boolean {
  if (type === "item.started") return data.item.kind === "file_change" && isHolding;
  if (type !== "item.completed" || data.item.status !== "completed") return false;
  const [part] = data.item.parts;
  return part?.type === "tool_result" && writes(toolName(providerID, part.name));
}

/** A call that changes twice in one moment is told as it is after that. */
export function toldOnce(told: readonly Emitted[]): Emitted[] {
  const last = new Map(told.map((one, index) => [calledIn(one), index]));
  return told.filter((one, index) => calledIn(one) === null || last.get(calledIn(one)) === index);
}

function calledIn({ type, properties }: Emitted): string | null {
  const { part } = properties as { part?: { type: string; id: string } };
  return type === "message.part.updated" && part?.type === "tool" ? part.id : null;
}
