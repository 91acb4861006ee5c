/**
 * Events that are deferred until the next one before they are published. A failed message, and the missing results of
 * its calls: OpenCode publishes the reason first. The result of a call that writes a file: OpenCode publishes it
 * together with the change. Pure.
 */
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { NativeEvent } from "./native-event.ts";
import { toolName, writes } from "./tool-shape.ts";

export function isDeferred(event: UniversalEvent, providerID: string, hasDeferred: boolean): boolean {
  return isFailure(event) || isWrite(event, providerID, hasDeferred);
}

function isFailure(event: UniversalEvent): boolean {
  if (event.type !== "item.completed" || event.nativeSession !== undefined) return false;
  const { kind, role, status } = event.data.item;
  return status === "failed" && (role === "assistant" || (kind === "tool_result" && event.synthetic));
}

/** The result of a call that writes a file, or the start of its file change. */
function isWrite({ type, data }: UniversalEvent, providerID: string, hasDeferred: boolean): boolean {
  if (type === "item.started") return data.item.kind === "file_change" && hasDeferred;
  if (type !== "item.completed" || data.item.status !== "completed") return false;
  const [part] = data.item.parts;
  return part?.type === "tool_result" && writes(toolName(providerID, part.name));
}

/** Events between the last message of a stopped turn and its end: asks that expire with it, and its usage. */
export function passesDeferred({ type }: UniversalEvent): boolean {
  return type === "permission.resolved" || type === "question.resolved" || type === "usage";
}

/** Of several updates of one call, only the last. */
export function dedupeToolUpdates(events: readonly NativeEvent[]): NativeEvent[] {
  const last = new Map(events.map((event, index) => [toolPartId(event), index]));
  return events.filter((event, index) => toolPartId(event) === null || last.get(toolPartId(event)) === index);
}

function toolPartId({ type, properties }: NativeEvent): string | null {
  const { part } = properties as { part?: { type: string; id: string } };
  return type === "message.part.updated" && part?.type === "tool" ? part.id : null;
}
