/** The API token: 256 random bits, created once, in a file that only its owner can read. */
import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { AppError, messageOf } from "../../platform/app-error.ts";

/** `wasOpen`: other users could read the file, and its permissions were corrected. */
export function ensureToken(path: string): { token: string; wasOpen: boolean } {
  try {
    createIfMissing(path);
    const wasOpen = (statSync(path).mode & 0o077) !== 0;
    if (wasOpen) chmodSync(path, 0o600);
    const token = readFileSync(path, "utf8").trim();
    if (isToken(token)) return { token, wasOpen };
  } catch (error) {
    throw new AppError({
      code: "token_unavailable",
      message: `The token file ${path} cannot be used: ${messageOf(error)}.`,
      hint: "Check that its directory exists and that you can write to it.",
      cause: error,
    });
  }
  throw new AppError({
    code: "token_invalid",
    message: `The token file ${path} holds no token.`,
    hint: "Delete it. The next start creates a new token, and old ones stop working.",
  });
}

/** A token that Waybill generated, or that a person wrote with at least as many bits. */
export function isToken(text: string): boolean {
  return /^[\w-]{43,}$/.test(text);
}

/** Never begins with a dash: programs that get it as an argument would treat it as an option. */
export function newToken(random: () => Buffer = () => randomBytes(32)): string {
  const token = random().toString("base64url");
  return token.startsWith("-") ? newToken(random) : token;
}

function createIfMissing(path: string): void {
  try {
    writeFileSync(path, `${newToken()}\n`, { flag: "wx", mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
