/** Defaults, not a user's choice: if another program has this address, our server takes another one. */
export const defaultAttachUrl = "http://127.0.0.1:4096";
export const defaultServePort = 4096;
