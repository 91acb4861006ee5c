/** The valid key that somebody probably meant, when one is near enough. */
import { closest, distance } from "fastest-levenshtein";

export function nearestKey(key: string, known: readonly string[]): string | null {
  if (known.length === 0) return null;
  // `PORT`, `bot_token` and `bot-token` are near to their camel case.
  const plain = (name: string) => name.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();
  const nearest = closest(plain(key), known.map(plain));
  const off = distance(plain(key), nearest);
  if (off > Math.ceil(nearest.length / 3)) return null;
  return known.find((one) => plain(one) === nearest) ?? null;
}
