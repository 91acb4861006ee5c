/** Where OpenCode's clients are served: everything below this path is OpenCode's API. */
export const openCodePath = "/opencode";
