/** Reads fields of another program's JSON, which may be missing or have another type. Pure. */
export type Json = Readonly<Record<string, unknown>>;

export function jsonIn(text: string): Json | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    // Callers report text that is not JSON.
    return null;
  }
}

/** The objects in a JSON Lines file. */
export function jsonLines(text: string): Json[] {
  return text
    .split("\n")
    .map(jsonIn)
    .filter((line) => line !== null);
}

export function asObject(value: unknown): Json | null {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Json) : null;
}

export function asText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function asNumber(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The blocks of a message's `content`; a plain string is one block. */
export function blocksOf(content: unknown): readonly Json[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return asList(content)
    .map(asObject)
    .filter((block) => block !== null);
}

export function textOfBlocks(content: unknown): string {
  return blocksOf(content)
    .map((block) => asText(block.text) ?? "")
    .join("");
}
