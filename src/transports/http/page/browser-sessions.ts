/**
 * Browser sessions. The server stores nothing: a session is a signed value, `v1.EXPIRES.RANDOM.MAC`, in the browser's
 * cookie. The key is derived from the API's token, so sessions survive a restart, and a new token ends all of them.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../../platform/clock.ts";

const dayMs = 24 * 60 * 60_000;

export const sessionTtlMs = 7 * dayMs;

export type BrowserSessions = {
  /** The value of a new session. */
  begin(): string;
  /** False for a value that is forged, expired, or signed for another token. */
  isValid(value: string): boolean;
  /** Whether it is more than a day old. */
  isDueForRenewal(value: string): boolean;
};

export function makeBrowserSessions(token: string, clock: Clock): BrowserSessions {
  const key = createHmac("sha256", token).update("waybill-browser-session-v1").digest();
  const macOf = (signed: string) => createHmac("sha256", key).update(signed).digest("base64url");

  /** How long it remains valid; 0 for an invalid one. */
  const remainingMs = (value: string): number => {
    const [, signed, expiresAt, mac] = /^(v1\.(\d{1,16})\.[\w-]{22})\.([\w-]{43})$/.exec(value) ?? [];
    if (signed === undefined || mac === undefined) return 0;
    if (!timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(signed)))) return 0;
    return Math.max(0, Number(expiresAt) - clock.now());
  };
  return {
    begin() {
      const signed = `v1.${clock.now() + sessionTtlMs}.${randomBytes(16).toString("base64url")}`;
      return `${signed}.${macOf(signed)}`;
    },
    isValid: (value) => remainingMs(value) > 0,
    isDueForRenewal(value) {
      const remaining = remainingMs(value);
      return remaining > 0 && remaining < sessionTtlMs - dayMs;
    },
  };
}
