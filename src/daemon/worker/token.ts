/** The token that opens the API: 256 random bits in a file that only its owner can read. Made once. */
import { randomBytes } from "node:crypto";
import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { AppError, messageOf } from "../../app-error.ts";

/** Says whether the file was open to others, which was mended. */
export function ensureToken(path: string): { token: string; wasOpen: boolean } {
  try {
    make(path);
    const wasOpen = (statSync(path).mode & 0o077) !== 0;
    if (wasOpen) chmodSync(path, 0o600);
    return { token: checked(path, readFileSync(path, "utf8").trim()), wasOpen };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError({
      code: "token_unavailable",
      message: `The token file ${path} cannot be used: ${messageOf(error)}.`,
      hint: "Check that its directory exists and is writable for you.",
      cause: error,
    });
  }
}

/** What was made here, or by a person with at least as many bits. */
export function isToken(text: string): boolean {
  return /^[\w-]{43,}$/.test(text);
}

/** None that begins with a dash: programs that are given it as an argument would take it for an option. */
export function newToken(random: () => Buffer = () => randomBytes(32)): string {
  const token = random().toString("base64url");
  return token.startsWith("-") ? newToken(random) : token;
}

function make(path: string): void {
  let file: number;
  try {
    file = openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw error;
  }
  try {
    writeSync(file, `${newToken()}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function checked(path: string, token: string): string {
  if (isToken(token)) return token;
  throw new AppError({
    code: "token_invalid",
    message: `The token file ${path} holds no token.`,
    hint: "Delete it: a new token is made at the next start, and old ones stop working.",
  });
}
