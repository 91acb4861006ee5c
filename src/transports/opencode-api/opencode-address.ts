/** Where OpenCode's clients are served: everything below this path is theirs, and answers in their words. */
export const openCodePath = "/opencode";

export function isForOpenCode(path: string): boolean {
  return path === openCodePath || path.startsWith(`${openCodePath}/`);
}

/** A path as OpenCode's document writes it, with names in braces, as routes are added under it. */
export function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}
