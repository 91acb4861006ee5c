/** Formats durations, times, ids and untrusted text for one line. Pure. */
import { printable } from "./terminal.ts";

const unitMs = { s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** "12 s", "5 min", "3 h", "2 d". */
export function formatDuration(ms: number): string {
  const unit = (["d", "h", "min"] as const).find((name) => ms >= unitMs[name]);
  if (unit !== undefined) return `${Math.round(ms / unitMs[unit])} ${unit}`;
  return ms < 10_000 ? `${(Math.max(0, ms) / 1000).toFixed(1).replace(/\.0$/, "")} s` : `${Math.round(ms / 1000)} s`;
}

export function ago(time: string, now: number): string {
  const ms = now - Date.parse(time);
  return ms < 1000 ? "just now" : `${formatDuration(ms - (ms % 1000))} ago`;
}

/** "in 12 s", or "now" if it is due. */
export function until(time: string, now: number): string {
  const ms = Date.parse(time) - now;
  return ms <= 0 ? "now" : `in ${formatDuration(ms)}`;
}

/** "10m", "90s", "1.5h", "2d"; a bare number is seconds. Null for anything else. */
export function parseDuration(text: string): number | null {
  const [, amount, unit = "s"] = /^(\d+(?:\.\d+)?)\s*(s|m|min|h|d)?$/.exec(text.trim()) ?? [];
  if (amount === undefined) return null;
  return Math.round(Number(amount) * unitMs[unit === "m" ? "min" : (unit as keyof typeof unitMs)]);
}

/** Untrusted text as one line, without anything that is invisible or moves the cursor. */
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

/** A reason in parentheses, to append to something else. */
export function inParentheses(reason: string | null | undefined): string {
  return reason == null ? "" : ` (${oneLine(reason)})`;
}

export function pluralized(number: number, singular: string): string {
  return `${number} ${singular}${number === 1 ? "" : "s"}`;
}
