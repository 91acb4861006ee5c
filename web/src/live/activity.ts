/** The running turn of each lane: since when, and with which tool. */
import type { UniversalEvent } from "waybill/client";
import { exactText } from "../ui/safe-text.ts";
import { createStore } from "./store.ts";

export type Activity = { since: number; tool: string | null };

export const activity = createStore<ReadonlyMap<string, Activity>>(new Map());

export function onActivity(event: UniversalEvent): void {
  const { lane, time } = event;
  const known = activity.latest().get(lane);
  if (event.type === "turn.started") change(lane, { since: time, tool: null });
  else if (event.type === "turn.ended") change(lane, null);
  else if (event.type === "item.started" && event.data.item.kind === "tool_call") {
    const { name } = event.data.item;
    change(lane, { since: known?.since ?? time, tool: name === null ? null : exactText(name) });
  } else if (known?.tool && event.type === "item.completed" && event.data.item.kind === "tool_result") {
    change(lane, { ...known, tool: null });
  }
}

/** After a gap in the stream: the end of a turn may have been in it. */
export function forgetActivity(): void {
  activity.set(new Map());
}

function change(lane: string, now: Activity | null): void {
  const next = new Map(activity.latest());
  if (now) next.set(lane, now);
  else next.delete(lane);
  activity.set(next);
}
