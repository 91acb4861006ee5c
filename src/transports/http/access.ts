/**
 * Who may come in: a request with the token, or with the cookie of a session that a one-time code began. Below a mount
 * whose clients only know Basic, the token is also taken as a password, with any user name.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import { AppError } from "../../app-error.ts";
import { originRefused } from "./browser-guards.ts";
import type { BrowserSessions } from "./browser-sessions.ts";
import type { Access, Env } from "./env.ts";
import type { Mount } from "./mount.ts";
import { mountOf } from "./mount.ts";

export const sessionCookie = "waybill_session";

/** Finds out; decides nothing. A wrong token is not made good by a cookie. */
export function identify(token: string, sessions: BrowserSessions, mounts: readonly Mount[]): MiddlewareHandler<Env> {
  const isToken = tokenCheck(token);
  const given = (c: Context<Env>, authorization: string) =>
    bearerIn(authorization) ?? (passwordHint(c, mounts) === null ? null : passwordIn(authorization));
  const accessOf = (c: Context<Env>): Access => {
    const authorization = c.req.header("authorization");
    if (authorization !== undefined) return isToken(given(c, authorization)) ? "token" : null;
    const sessionId = getCookie(c, sessionCookie);
    return sessionId !== undefined && sessions.knows(sessionId) ? "cookie" : null;
  };
  return async (c, next) => {
    c.set("access", accessOf(c));
    await next();
  };
}

export function requireAccess(mounts: readonly Mount[]): MiddlewareHandler<Env> {
  return async (c, next) => {
    const access = c.get("access");
    if (access === null) throw unauthorized(passwordHint(c, mounts));
    // Browsers add the cookie by themselves, so what changes something has to say which page it comes from.
    const changes = c.req.method !== "GET" && c.req.method !== "HEAD";
    if (access === "cookie" && changes && c.req.header("origin") === undefined) throw originRefused();
    await next();
  };
}

function passwordHint(c: Context<Env>, mounts: readonly Mount[]): string | null {
  return mountOf(mounts, c.req.path)?.basicPasswordHint ?? null;
}

/** Hashes have one length, so comparing them takes the same time whatever was sent. */
function tokenCheck(token: string): (given: string | null) => boolean {
  const hashOf = (text: string) => createHash("sha256").update(text).digest();
  const expected = hashOf(token);
  return (given) => given !== null && timingSafeEqual(hashOf(given), expected);
}

function bearerIn(authorization: string): string | null {
  return /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1] ?? null;
}

function passwordIn(authorization: string): string | null {
  const [, encoded] = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(authorization) ?? [];
  if (encoded === undefined) return null;
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, "base64").toString("utf8")) ?? [];
  return password ?? null;
}

function unauthorized(hint: string | null): AppError {
  return new AppError({
    code: "unauthorized",
    message: "This needs the token.",
    hint: hint ?? "Send `Authorization: Bearer TOKEN` with the token that stands in Waybill's state directory.",
  });
}
