/**
 * The cookie that holds a browser's session. Browsers share cookies between all ports of a host, so the name includes
 * the port: otherwise two daemons on one machine would overwrite each other's cookie.
 */
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Env } from "../env.ts";
import type { BrowserSessions } from "./browser-sessions.ts";
import { sessionTtlMs } from "./browser-sessions.ts";

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
