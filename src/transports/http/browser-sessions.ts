/**
 * Logs browsers in without showing them the token: a one-time code that expires soon is exchanged for a session, whose
 * id is the cookie. Kept in memory, so it ends with the process.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../clock.ts";

const codeTtlMs = 60_000;
const maxCodes = 100;
const maxSessions = 100;

export type BrowserSessions = {
  newCode(): { code: string; expiresAt: number };
  /** The id of a new session, or null when the code is wrong, used or expired. */
  redeem(code: string): string | null;
  knows(sessionId: string): boolean;
};

export function makeBrowserSessions(clock: Clock): BrowserSessions {
  // Stored as hashes, so that the time of a lookup does not show how much of a guess was right.
  const codes = new Map<string, number>();
  const sessions = new Set<string>();
  return {
    newCode() {
      const code = randomBytes(32).toString("base64url");
      const expiresAt = clock.now() + codeTtlMs;
      codes.set(hashOf(code), expiresAt);
      dropOldest(codes, maxCodes);
      return { code, expiresAt };
    },
    redeem(code) {
      const hash = hashOf(code);
      const expiresAt = codes.get(hash);
      codes.delete(hash);
      if (expiresAt === undefined || expiresAt <= clock.now()) return null;
      const sessionId = randomBytes(32).toString("base64url");
      sessions.add(hashOf(sessionId));
      dropOldest(sessions, maxSessions);
      return sessionId;
    },
    knows: (sessionId) => sessions.has(hashOf(sessionId)),
  };
}

function dropOldest(entries: Map<string, unknown> | Set<string>, max: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= max) return;
    entries.delete(key);
  }
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64");
}
