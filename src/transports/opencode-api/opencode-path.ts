/** Where OpenCode's clients are served: everything below this path is OpenCode's API. */
export const openCodePath = "/opencode";

/** Who OpenCode's clients say they are unless they are told otherwise. Its own server takes no other user, either. */
export const openCodeUser = "opencode";
