/** Formats a lane: its settings, and what it is doing. Pure. */
import type { Lane } from "../../client/index.ts";
import { ago, oneLine } from "./format.ts";
import type { StyledText } from "./table.ts";
import { fieldLines, table } from "./table.ts";
import type { Paint } from "./terminal.ts";

export function laneTable(lanes: readonly Lane[], format: { width: number; paint: Paint }): string[] {
  return table(
    ["LANE", "MEMBER", "RUNTIME", "DOING", "WAITING", "DIRECTORY"],
    lanes.map((lane) => [
      { text: lane.id, style: "bold" },
      memberOf(lane),
      lane.runtime,
      activity(lane),
      lane.waiting === 0 ? "" : String(lane.waiting),
      lane.directory,
    ]),
    format,
  );
}

/** One line per notice, since a notice about a runtime concerns all of its lanes. */
export function noticeLines(lanes: readonly Lane[]): string[] {
  const laneIds = new Map<string, string[]>();
  for (const { id, notices } of lanes) {
    for (const { message } of notices) laneIds.set(message, [...(laneIds.get(message) ?? []), id]);
  }
  return [...laneIds].map(([message, ids]) => `${ids.join(", ")}: ${oneLine(message)}`);
}

export function laneLines(lane: Lane, paint: Paint, now: number): string[] {
  const fields: [string, string | null][] = [
    ["name", lane.displayName],
    ["member", memberOf(lane) || null],
    ["doing", activity(lane).text],
    ["waiting", lane.waiting === 0 ? null : `${lane.waiting}`],
    ["notice", lane.notices.map(({ message }) => message).join(" ") || null],
    ["runtime", `${lane.runtime}${lane.runtimeReady ? "" : " (not ready)"}`],
    ["directory", lane.directory],
    ["agent", lane.agent],
    ["model", lane.model],
    ["contract", lane.contract],
    ["session", lane.sessionId === null ? null : `${lane.sessionId} (generation ${lane.generation})`],
    ["used today", usedToday(lane)],
    ["added", ago(lane.createdAt, now)],
  ];
  // Names and reasons are untrusted text.
  const safe = fields.map(([name, value]) => [name, value === null ? null : oneLine(value)] as const);
  return fieldLines([["lane", paint("bold", oneLine(lane.id))], ...safe], paint);
}

function memberOf({ member, team }: Lane): string {
  return member === null ? "" : `${member}${team === null ? "" : ` of ${team}`}`;
}

function usedToday({ usage }: Lane): string | null {
  if (usage === null) return null;
  const cost = usage.cost === 0 ? "" : `, $${usage.cost.toFixed(usage.cost < 1 ? 4 : 2)}`;
  return `${usage.tokens} tokens${cost}`;
}

function activity({ pausedReason, runtimeReady, holder, waitReason }: Lane): StyledText {
  if (pausedReason !== null) return { text: `paused (${pausedReason})`, style: "yellow" };
  if (holder !== null) return { text: `${holder.status}: ${holder.messageId}`, style: "cyan" };
  if (!runtimeReady) return { text: "its runtime is not running", style: "red" };
  return waitReason === null ? { text: "free" } : { text: `waits (${waitReason})`, style: "yellow" };
}
