/** Directories that are not looked into when files are searched, because nobody means the files in them. */

/** What tools keep for themselves. */
export const toolDirectories: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** And what is known to be generated. */
export const generatedDirectories: ReadonlySet<string> = new Set([
  ...toolDirectories,
  ...[".cache", ".venv", "__pycache__", "build", "dist", "target"],
]);
