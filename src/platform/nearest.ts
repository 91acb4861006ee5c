/** Suggestions for a misspelt name. Pure. */
import { distance } from "fastest-levenshtein";

/** The candidate that is most similar to the name; null if none is. */
export function nearest(name: string, candidates: readonly string[]): string | null {
  const given = normalized(name);
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: distanceTo(given, normalized(candidate)) }))
    .toSorted((one, other) => one.distance - other.distance);
  return best !== undefined && best.distance <= Math.ceil(given.length / 3) ? best.candidate : null;
}

/** Makes `PORT`, `bot_token` and `bot-token` close to their camel-case names. */
function normalized(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}

/** A prefix of three letters or more counts as one wrong letter. */
function distanceTo(given: string, candidate: string): number {
  const edits = distance(given, candidate);
  return given.length >= 3 && candidate.startsWith(given) ? Math.min(1, edits) : edits;
}
