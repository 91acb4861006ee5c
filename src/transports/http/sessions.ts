/**
 * How a browser gets in without ever seeing the token: a code that is good once and for a short time is exchanged for
 * a session, whose id is the cookie. All of it is in memory and ends with the process.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../clock.ts";

const codeLivesMs = 60_000;
const maxCodes = 100;
const maxSessions = 100;

export type Sessions = {
  newCode(): { code: string; expiresAt: number };
  /** A new session's id, or null when the code is wrong, used or too old. */
  redeem(code: string): string | null;
  knows(sessionId: string): boolean;
};

export function makeSessions(clock: Clock): Sessions {
  // Kept as hashes, so that finding one takes no time that tells how much of it was right.
  const codes = new Map<string, number>();
  const sessions = new Set<string>();
  return {
    newCode() {
      const code = randomBytes(32).toString("base64url");
      const expiresAt = clock.now() + codeLivesMs;
      codes.set(hashOf(code), expiresAt);
      forgetOldest(codes, maxCodes);
      return { code, expiresAt };
    },
    redeem(code) {
      const hash = hashOf(code);
      const expiresAt = codes.get(hash);
      codes.delete(hash);
      if (expiresAt === undefined || expiresAt <= clock.now()) return null;
      const sessionId = randomBytes(32).toString("base64url");
      sessions.add(hashOf(sessionId));
      forgetOldest(sessions, maxSessions);
      return sessionId;
    },
    knows: (sessionId) => sessions.has(hashOf(sessionId)),
  };
}

function forgetOldest(kept: Map<string, unknown> | Set<string>, most: number): void {
  for (const key of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(key);
  }
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64");
}
