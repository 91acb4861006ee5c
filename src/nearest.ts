/** What somebody may have meant. Pure. */
import { distance } from "fastest-levenshtein";

/** The candidate that is most like the word, or null when none is like it. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const given = plain(word);
  const [best] = candidates
    .map((candidate) => ({ candidate, far: far(given, plain(candidate)) }))
    .toSorted((one, other) => one.far - other.far);
  return best !== undefined && best.far <= Math.ceil(given.length / 3) ? best.candidate : null;
}

/** `PORT`, `bot_token` and `bot-token` are near to their camel case. */
function plain(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}

/** A beginning of three letters or more is as good as a letter that is wrong. */
function far(given: string, candidate: string): number {
  const apart = distance(given, candidate);
  return given.length >= 3 && candidate.startsWith(given) ? Math.min(1, apart) : apart;
}
