/** What does not go as it should with an OpenCode server that works all the same, for people. */
import type { Notice } from "../../../core/lane/lane.ts";
import type { MessageRow, Part } from "../server/opencode-api.ts";
import type { PendingAsks } from "./asks.ts";

export const noEvents: Notice = {
  code: "events_unusable",
  message: "OpenCode's events do not come; sessions at work are looked at every two seconds instead.",
};

export const askUnseen: Notice = {
  code: "ask_unseen",
  message:
    "OpenCode cannot list what is asked, and the agent may wait for a permission that nobody here heard of. If its turn " +
    "does not go on, answer it in OpenCode itself, or stop the turn with `waybill lanes abort`.",
};

/**
 * An ask that came while nobody listened, before a start or in a gap of the events, shows only in the server's list. Where
 * that fails, a tool that does not end may be one that waits.
 */
export function mayHaveMissed({ asks, listed }: PendingAsks, rows: readonly MessageRow[]): boolean {
  return !listed && asks.length === 0 && (rows.at(-1)?.parts.some(isOpenTool) ?? false);
}

function isOpenTool(part: Part): boolean {
  return part.type === "tool" && (part.state.status === "pending" || part.state.status === "running");
}
