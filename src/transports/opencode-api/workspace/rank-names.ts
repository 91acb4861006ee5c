/** Puts names in the order in which they fit what somebody typed, and leaves out what does not fit. Pure. */

export function rankNames(names: readonly string[], query: string): string[] {
  const wanted = query.toLowerCase();
  return names
    .map((name) => ({ name, rank: rankOf(name.toLowerCase(), wanted) }))
    .filter(({ rank }) => rank < noFit)
    .sort((a, b) => a.rank - b.rank || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

const noFit = 5;

function rankOf(path: string, wanted: string): number {
  const base = path.slice(path.replace(/\/$/, "").lastIndexOf("/") + 1);
  if (base.replace(/\/$/, "") === wanted) return 0;
  if (base.startsWith(wanted)) return 1;
  if (base.includes(wanted)) return 2;
  if (path.includes(wanted)) return 3;
  return hasInOrder(path, wanted) ? 4 : noFit;
}

function hasInOrder(path: string, letters: string): boolean {
  let from = 0;
  for (const letter of letters) {
    const at = path.indexOf(letter, from);
    if (at < 0) return false;
    from = at + letter.length;
  }
  return true;
}
