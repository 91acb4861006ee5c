/** Navigation in directories: breadcrumbs and keys. Pure. */

export type Crumb = { name: string; path: string };

/** From its allowed directory down to it. The first is shown in full, so that its location is clear. */
export function crumbsOf(path: string, roots: readonly string[]): Crumb[] {
  const root = roots.filter((one) => isWithin(path, one)).sort((one, other) => other.length - one.length)[0];
  if (root === undefined) return [{ name: path, path }];
  const below = path
    .slice(root.length)
    .split("/")
    .filter((name) => name !== "");
  const crumbs: Crumb[] = [{ name: root, path: root }];
  for (const name of below) {
    const parent = crumbs.at(-1)?.path ?? "";
    crumbs.push({ name, path: parent.endsWith("/") ? `${parent}${name}` : `${parent}/${name}` });
  }
  return crumbs;
}

function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`);
}

export type Step = { to: "row"; index: number } | { to: "open" } | { to: "parent" } | null;

/** What a key does in a list of directories while the row `index` has the focus. */
export function stepOf(key: string, names: readonly string[], index: number): Step {
  const last = names.length - 1;
  switch (key) {
    case "ArrowDown":
      return { to: "row", index: Math.min(index + 1, last) };
    case "ArrowUp":
      return { to: "row", index: Math.max(index - 1, 0) };
    case "Home":
      return { to: "row", index: 0 };
    case "End":
      return { to: "row", index: last };
    case "ArrowRight":
      return { to: "open" };
    case "ArrowLeft":
    case "Backspace":
      return { to: "parent" };
    default: {
      const found = nextBeginningWith(key, names, index);
      return found === null ? null : { to: "row", index: found };
    }
  }
}

/** A letter jumps to the next name that begins with it, wrapping around. */
function nextBeginningWith(key: string, names: readonly string[], index: number): number | null {
  if ([...key].length !== 1 || key === " ") return null;
  const letter = key.toLowerCase();
  for (let step = 1; step <= names.length; step++) {
    const at = (index + step) % names.length;
    if (names[at]?.toLowerCase().startsWith(letter)) return at;
  }
  return null;
}
