/** Recently viewed lanes, newest first. They survive a reload. */
const key = "waybill-recent-lanes";
const maxLanes = 8;

export function withVisit(recent: readonly string[], lane: string): string[] {
  return [lane, ...recent.filter((one) => one !== lane)].slice(0, maxLanes);
}

/** Recently viewed lanes first; the others keep their order. */
export function recentFirst<T extends { lane: string | null }>(entries: readonly T[], recent: readonly string[]): T[] {
  const place = ({ lane }: T) => {
    const at = lane === null ? -1 : recent.indexOf(lane);
    return at === -1 ? recent.length : at;
  };
  return [...entries].sort((one, other) => place(one) - place(other));
}

/** The lane that an address names, if any. */
export function laneOfPath(pathname: string): string | null {
  const name = /^\/lanes\/([^/]+)\/?$/.exec(pathname)?.[1];
  return name === undefined ? null : decodeURIComponent(name);
}

export function recentLanes(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? stored.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

export function noteVisit(pathname: string): void {
  const lane = laneOfPath(pathname);
  if (lane !== null) localStorage.setItem(key, JSON.stringify(withVisit(recentLanes(), lane)));
}
