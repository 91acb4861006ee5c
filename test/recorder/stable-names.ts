/**
 * Replaces what differs from recording to recording: ids are numbered in the order in which they come, times keep only
 * their order, and places get names that are nobody's.
 */

const ids = /\b(ses|msg|prt|per|que|evt|call|wrk|tool)_[A-Za-z0-9_]+/g;
const hashes = /\b[0-9a-f]{40}\b/g;
const firstTime = 1_700_000_000_000;

export function withStableNames(lines: readonly unknown[], places: Readonly<Record<string, string>>): unknown[] {
  const times = timesIn(lines);
  const known = new Map<string, string>();
  const counts = new Map<string, number>();
  const named = (kind: string, id: string): string => {
    const name = known.get(id);
    if (name !== undefined) return name;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    known.set(id, `${kind}_${count}`);
    return `${kind}_${count}`;
  };
  const text = (value: string): string =>
    Object.entries(places)
      .reduce((so, [place, name]) => so.replaceAll(place, name), value)
      .replace(ids, (id, kind: string) => named(kind, id))
      .replace(hashes, (hash) => named("hash", hash));
  const change = (value: unknown, key: string): unknown => {
    if (typeof value === "string") return key === "slug" ? "slug" : text(value);
    if (typeof value === "number") return times.get(value) ?? value;
    if (Array.isArray(value)) return value.map((one) => change(one, key));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).filter(([name]) => name !== "responseHeaders");
    return Object.fromEntries(entries.map(([name, one]) => [text(name), change(one, name)]));
  };
  return lines.map((line) => change(line, ""));
}

function timesIn(lines: readonly unknown[]): Map<number, number> {
  const found = new Set<number>();
  const look = (value: unknown): void => {
    if (typeof value === "number" && value > 1_600_000_000_000) found.add(value);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(look);
  };
  lines.forEach(look);
  return new Map([...found].sort((a, b) => a - b).map((time, place) => [time, firstTime + place]));
}
