/** Numbers as people read them: times, money, tokens. Pure. */

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const plain = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** "85 ms", "1.4 s", "2.5 min", "3 h". */
export function timeAmount(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${short(ms / 1000)} s`;
  if (ms < 3_600_000) return `${short(ms / 60_000)} min`;
  return `${short(ms / 3_600_000)} h`;
}

/** Fractions only where they are meaningful. */
function short(value: number): string {
  return value >= 10 ? plain.format(value) : String(Math.round(value * 10) / 10);
}

export function moneyAmount(dollars: number): string {
  if (dollars === 0) return "$0";
  if (dollars < 0.01) return "< $0.01";
  return dollars >= 1000 ? `$${plain.format(dollars)}` : `$${dollars.toFixed(2)}`;
}

export function tokenAmount(tokens: number): string {
  return tokens < 1000 ? plain.format(tokens) : compact.format(tokens);
}

export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${plain.format(count)} ${count === 1 ? one : many}`;
}

const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** "17 Nov", of a day as the daemon's machine counts it; never shifted into the browser's own time zone. */
export function dayName(day: string): string {
  return dayFormat.format(Date.parse(`${day}T00:00:00Z`));
}
