/** The id of a new lane, derived from its name. Pure. */

export const maxIdLength = 64;
const idPattern = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Letters without accents, and a dash for everything else. Empty if nothing of the name is valid in an id. */
export function slugOf(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll("æ", "ae")
    .replaceAll("ø", "o")
    .replaceAll(/\p{Mark}/gu, "")
    .replaceAll(/[^a-z0-9_]+/g, "-")
    .replaceAll(/^[-_]+|-+$/g, "")
    .slice(0, maxIdLength)
    .replace(/-+$/, "");
}

/** The first of `name`, `name-2`, `name-3`, … that no lane has. */
export function uniqueId(slug: string, taken: ReadonlySet<string>): string {
  const base = slug === "" ? "lane" : slug;
  if (!taken.has(base)) return base;
  for (let number = 2; ; number++) {
    const suffix = `-${number}`;
    const id = `${base.slice(0, maxIdLength - suffix.length).replace(/-+$/, "")}${suffix}`;
    if (!taken.has(id)) return id;
  }
}

/** What is wrong with a typed id; null if it is valid. */
export function idProblem(id: string, taken: ReadonlySet<string>): string | null {
  if (id === "") return "Give the lane an id.";
  if (!idPattern.test(id))
    return "An id has up to 64 characters of a-z, 0-9, _ and -, and begins with a letter or a digit.";
  return taken.has(id) ? `The lane "${id}" already exists. Choose another id.` : null;
}

/** A name for a lane in this directory. */
export function nameOfDirectory(directory: string): string {
  return directory.split("/").findLast((part) => part !== "") ?? "";
}
