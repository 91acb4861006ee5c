/** A lane for people: what it is, and what it is doing. Pure. */
import type { Lane } from "../../client/index.ts";
import { fieldLines } from "./field-lines.ts";
import type { Cell } from "./table.ts";
import { table } from "./table.ts";
import type { Paint } from "./terminal.ts";
import { ago, oneLine } from "./words.ts";

export function laneTable(lanes: readonly Lane[], screen: { width: number; paint: Paint }): string[] {
  const members = lanes.some((lane) => lane.member !== null);
  const head = ["LANE", ...(members ? ["MEMBER"] : []), "RUNTIME", "DOING", "WAITING", "DIRECTORY"];
  return table(
    head,
    lanes.map((lane) => [
      { text: lane.id, style: "bold" as const },
      ...(members ? [memberOf(lane)] : []),
      lane.runtime,
      doing(lane),
      lane.waiting === 0 ? "" : String(lane.waiting),
      lane.directory,
    ]),
    screen,
  );
}

/** A line for each, since what is the matter with a runtime concerns all of its lanes. */
export function noticeLines(lanes: readonly Lane[]): string[] {
  const concerned = new Map<string, string[]>();
  for (const { id, notices } of lanes) {
    for (const { message } of notices) concerned.set(message, [...(concerned.get(message) ?? []), id]);
  }
  return [...concerned].map(([message, ids]) => `${ids.join(", ")}: ${oneLine(message)}`);
}

export function laneLines(lane: Lane, paint: Paint, now: number): string[] {
  const fields: [string, string | null][] = [
    ["lane", lane.id],
    ["name", lane.displayName],
    ["member", memberOf(lane) || null],
    ["doing", asObject(doing(lane)).text],
    ["waiting", lane.waiting === 0 ? null : `${lane.waiting}`],
    ["notice", lane.notices.map(({ message }) => message).join(" ") || null],
    ["runtime", `${lane.runtime}${lane.runtimeReady ? "" : " (not ready)"}`],
    ["directory", lane.directory],
    ["agent", lane.agent],
    ["model", lane.model],
    ["contract", lane.contract],
    ["session", lane.sessionId === null ? null : `${lane.sessionId} (generation ${lane.generation})`],
    ["used today", usedToday(lane)],
    ["made", ago(lane.createdAt, now)],
  ];
  // Names and reasons are other people's words.
  const safe = fields.map(([name, value]) => [name, value === null ? null : oneLine(value)] as const);
  return fieldLines(
    safe.map(([name, value]) => [name, name === "lane" && value !== null ? paint("bold", value) : value] as const),
    paint,
  );
}

function memberOf({ member, team }: Lane): string {
  return member === null ? "" : `${member}${team === null ? "" : ` of ${team}`}`;
}

function usedToday({ usage }: Lane): string | null {
  if (usage === null) return null;
  const cost = usage.cost === 0 ? "" : `, $${usage.cost.toFixed(usage.cost < 1 ? 4 : 2)}`;
  return `${usage.tokens} tokens${cost}`;
}

function doing({ pausedReason, runtimeReady, holder, waitReason }: Lane): Cell {
  if (pausedReason !== null) return { text: `paused (${pausedReason})`, style: "yellow" };
  if (holder !== null) return { text: `${holder.status}: ${holder.messageId}`, style: "cyan" };
  if (!runtimeReady) return { text: "its runtime is not running", style: "red" };
  return waitReason === null ? "free" : { text: `waits (${waitReason})`, style: "yellow" };
}

function asObject(cell: Cell): { text: string } {
  return typeof cell === "string" ? { text: cell } : cell;
}
