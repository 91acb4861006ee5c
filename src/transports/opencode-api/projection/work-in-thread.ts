/** What an agent does within one session, put into its thread: calls, what they bring, changed files, new words. */
import type { Item } from "../../../core/turn/item.ts";
import type { Emitted } from "./emitted.ts";
import type { EventOf, ItemEvent } from "./event-of.ts";
import type { Thread } from "./thread.ts";

export function callBegins({ data: { item }, time, seq }: ItemEvent, thread: Thread): Emitted[] {
  if (item.parent === null) return [];
  const begun = thread.begin(item.parent, time, orderOf(seq));
  const step = thread.step(item.parent);
  const call = callOf(item);
  if (step) thread.called(call, step);
  return [...begun, ...(step?.calls(call, item.name ?? "", time) ?? [])];
}

export function callRuns({ data: { item }, time }: ItemEvent, thread: Thread): Emitted[] {
  const [part] = item.parts;
  if (part?.type !== "tool_call") return [];
  return thread.stepOfCall(part.call)?.runs(part.call, part.name, part.input, time) ?? [];
}

export function filesChange({ data: { item }, time }: ItemEvent, thread: Thread): Emitted[] {
  const files = item.parts.filter((part) => part.type === "file");
  const told = thread.step(item.parent)?.changes(files, time) ?? [];
  const { sessionID, diffs: diff } = thread;
  return [...told, { type: "session.diff", properties: { sessionID, diff } }];
}

export function wordsCome(
  { data: { item, part, kind, text }, time }: EventOf<"item.delta">,
  thread: Thread,
): Emitted[] {
  if (kind === "output") return thread.stepOfCall(part)?.puts(part, text, time) ?? [];
  if (kind === "input") return [];
  return thread.step(item)?.says({ part, kind }, text, time) ?? [];
}

/** Those of the same moment in their order; people's messages come before them. */
export function orderOf(seq: number): number {
  return 1 + (seq % 4000);
}

function callOf({ id }: Item): string {
  return id.slice("call:".length);
}
