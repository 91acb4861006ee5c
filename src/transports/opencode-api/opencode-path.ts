/** The base path of the API for OpenCode's clients. */
export const openCodePath = "/opencode";

/** The default user name of OpenCode's clients. OpenCode's own server accepts no other. */
export const openCodeUser = "opencode";
