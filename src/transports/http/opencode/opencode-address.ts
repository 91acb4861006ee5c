/** Where OpenCode's clients are served: everything below this path is theirs, and answers in their words. */
export const openCodePath = "/opencode";

export function isForOpenCode(path: string): boolean {
  return path === openCodePath || path.startsWith(`${openCodePath}/`);
}
