/** Renames what version 4 called differently in records and events of deliveries. Everything else stays as it is. */

type Json = Record<string, unknown>;

const eventTypes: Record<string, string> = {
  looked: "reconciled",
  files_looked_for: "files_checked",
  asked_further: "submit_follow_up",
};

const fields: Record<string, string> = { nextLookAt: "nextReconcileAt", lookAt: "reconcileAt", looks: "reconciles" };

/** Objects and lists with names of their own. */
const nested = new Set(["record", "attemptList", "found", "attempt", "nextAttempt", "next"]);

export function renamedRecord(text: string): string {
  return JSON.stringify(renamed(JSON.parse(text) as Json));
}

export function renamedEvent(text: string | null): string | null {
  if (text === null) return null;
  const event = JSON.parse(text) as Json;
  const type = eventTypes[String(event.type)] ?? event.type;
  return JSON.stringify(renamed({ ...event, type }));
}

function renamed(old: Json): Json {
  return Object.fromEntries(Object.entries(old).map(([key, value]) => [fields[key] ?? key, renamedValue(key, value)]));
}

function renamedValue(key: string, value: unknown): unknown {
  if (key === "spends") return value === "further" ? "follow_ups" : value;
  if (!nested.has(key) || typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map((one) => renamed(one as Json)) : renamed(value as Json);
}
