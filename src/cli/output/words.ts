/** Times, spans and other people's text in one line. Pure. */
import { printable } from "./terminal.ts";

const units: [name: string, ms: number][] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
];

/** "12 s", "5 min", "3 h", "2 d". */
export function span(ms: number): string {
  const [name, size] = units.find(([, size]) => ms >= size) ?? ["s", 1000];
  if (name !== "s") return `${Math.round(ms / size)} ${name}`;
  return ms < 10_000 ? `${(Math.max(0, ms) / 1000).toFixed(1).replace(/\.0$/, "")} s` : `${Math.round(ms / 1000)} s`;
}

export function ago(time: string, now: number): string {
  const ms = now - Date.parse(time);
  return ms < 1000 ? "just now" : `${span(ms - (ms % 1000))} ago`;
}

/** "in 12 s", or "now" for what is due. */
export function until(time: string, now: number): string {
  const ms = Date.parse(time) - now;
  return ms <= 0 ? "now" : `in ${span(ms)}`;
}

const inMs: Record<string, number> = { s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** "10m", "90s", "1.5h", "2d"; a bare number is seconds. Null when it is none of them. */
export function parseSpan(text: string): number | null {
  const [, amount, unit = "s"] = /^(\d+(?:\.\d+)?)\s*(s|m|min|h|d)?$/.exec(text.trim()) ?? [];
  return amount === undefined ? null : Math.round(Number(amount) * (inMs[unit] ?? 0));
}

/** What somebody else wrote, as one line without anything that moves the cursor or takes up a place unseen. */
export function oneLine(text: string): string {
  return printable(text)
    .replace(/[\u200e\u200f]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** Enough of a long id to find it again. */
export function shortId(id: string): string {
  return /^[0-9a-f]{64}$/.test(id) ? id.slice(0, 12) : oneLine(id);
}

export function count(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? "" : "s"}`;
}
