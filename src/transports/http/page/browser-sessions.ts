/**
 * Browser sessions. The server stores nothing: a session is a signed value, `v1.EXPIRES.RANDOM.MAC`, in the browser's
 * cookie. The key is derived from the API's token, so sessions survive a restart, and a new token ends all of them.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Clock } from "../../../platform/clock.ts";
import type { Env } from "../env.ts";

const dayMs = 24 * 60 * 60_000;

const sessionTtlMs = 7 * dayMs;

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

/**
 * The cookie that holds a browser's session. Browsers share cookies between all ports of a host, so the name includes
 * the port: otherwise two daemons on one machine would overwrite each other's cookie.
 */
export function sessionCookieName(port: number): string {
  return `waybill_session_${port}`;
}

export function hasSession(c: Context<Env>, sessions: BrowserSessions): boolean {
  const value = sessionOf(c);
  return value !== undefined && sessions.isValid(value);
}

export function beginSession(c: Context<Env>, sessions: BrowserSessions): void {
  const maxAge = sessionTtlMs / 1000;
  setCookie(c, sessionCookieName(c.env.port), sessions.begin(), {
    httpOnly: true,
    sameSite: "Strict",
    path: "/",
    maxAge,
  });
}

/** Keeps people who use the page every few days signed in. */
export function renewSession(c: Context<Env>, sessions: BrowserSessions): void {
  const value = sessionOf(c);
  if (value !== undefined && sessions.isDueForRenewal(value)) beginSession(c, sessions);
}

export function endSession(c: Context<Env>): void {
  deleteCookie(c, sessionCookieName(c.env.port), { httpOnly: true, sameSite: "Strict", path: "/" });
}

function sessionOf(c: Context<Env>): string | undefined {
  return getCookie(c, sessionCookieName(c.env.port));
}
