/**
 * One-time codes that sign a browser in, so that it never sees the token. They are kept in memory: unused codes end
 * with the process.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../../platform/clock.ts";

const codeTtlMs = 10 * 60_000;
const maxCodes = 100;

export type LoginCodes = {
  newCode(): { code: string; expiresAt: number };
  /** Whether the code is valid. A code is valid only once. */
  redeem(code: string): boolean;
};

export function makeLoginCodes(clock: Clock): LoginCodes {
  // Stored as hashes, so that the lookup time does not reveal how much of a guess was right.
  const codes = new Map<string, number>();
  return {
    newCode() {
      const code = randomBytes(16).toString("base64url");
      const expiresAt = clock.now() + codeTtlMs;
      codes.set(hashOf(code), expiresAt);
      dropOldest(codes);
      return { code, expiresAt };
    },
    redeem(code) {
      const hash = hashOf(code);
      const expiresAt = codes.get(hash);
      codes.delete(hash);
      return expiresAt !== undefined && clock.now() < expiresAt;
    },
  };
}

/** The address where a browser redeems a code. */
export function loginUrl(daemonUrl: string, code: string): string {
  return `${daemonUrl}/login?code=${encodeURIComponent(code)}`;
}

function dropOldest(codes: Map<string, number>): void {
  for (const hash of codes.keys()) {
    if (codes.size <= maxCodes) return;
    codes.delete(hash);
  }
}

function hashOf(code: string): string {
  return createHash("sha256").update(code).digest("base64");
}
