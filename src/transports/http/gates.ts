/**
 * The gates that every request passes: host and origin, authentication, body, and response headers.
 *
 * Listening only on loopback is no defence: any page in a browser can send requests there, under its own name (DNS
 * rebinding) or with its own origin. A request also needs the token, or the cookie of a session that a one-time code
 * started. A mount whose clients support only Basic also accepts the token as the password of that mount's user. A
 * mount with its own tokens accepts only those.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import { TimedOut, withTimeout } from "../../platform/clock.ts";
import type { Access, Env } from "./env.ts";
import { malformedJson, wrongMediaType } from "./errors.ts";
import type { Mount } from "./mount.ts";
import { mountOf } from "./mount.ts";
import type { BrowserSessions } from "./page/browser-sessions.ts";
import { hasSession } from "./page/browser-sessions.ts";

type AllowedNames = {
  /** In addition to loopback: `name:port`, or `name` for any port. */
  hosts: readonly string[];
  /** In addition to those hosts: whole origins, `https://name[:port]`. */
  origins: readonly string[];
};

const loopback = ["127.0.0.1", "localhost", "[::1]"];

/** Compared literally, in lower case: other spellings of an address are rejected. */
export function hostAllowed(host: string, port: number, names: AllowedNames): boolean {
  const given = host.toLowerCase();
  if (loopback.some((name) => given === `${name}:${port}` || (port === 80 && given === name))) return true;
  return names.hosts.some((name) => {
    const allowed = name.toLowerCase();
    return given === allowed || (!hasPort(allowed) && given.replace(/:\d{1,5}$/, "") === allowed);
  });
}

export function originAllowed(origin: string, port: number, names: AllowedNames): boolean {
  if (names.origins.some((allowed) => allowed.toLowerCase() === origin.toLowerCase())) return true;
  const [, host] = /^https?:\/\/([^/@?#\\]+)$/i.exec(origin) ?? [];
  return host !== undefined && hostAllowed(host, port, names);
}

function hasPort(host: string): boolean {
  return /:\d{1,5}$/.test(host);
}

export function onlyAllowedNames(names: AllowedNames, mounts: readonly Mount[] = []): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { port } = c.env;
    const ofMount = mountOf(mounts, c.req.path)?.hosts ?? [];
    const hosts = [...names.hosts, ...ofMount];
    if (!hostAllowed(c.req.header("host") ?? "", port, { ...names, hosts })) throw hostRefused(port);
    const origin = c.req.header("origin");
    if (origin !== undefined && !originAllowed(origin, port, names)) throw originRefused();
    await next();
  };
}

function hostRefused(port: number): AppError {
  return new AppError({
    code: "host_not_allowed",
    message: "This host name is not allowed.",
    hint: `Use http://127.0.0.1:${port}, or allow the name in the configuration.`,
  });
}

function originRefused(): AppError {
  return new AppError({
    code: "origin_not_allowed",
    message: "Requests from this origin are not allowed.",
    hint: "Use the page that Waybill serves, or allow the origin in the configuration.",
  });
}

/** Pages set their own policy. */
const loadsNothing = "default-src 'none'; frame-ancestors 'none'";

export const securityHeaders: MiddlewareHandler<Env> = async (c, next) => {
  await next();
  const { headers } = c.res;
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "no-referrer");
  if (!headers.has("Content-Security-Policy")) headers.set("Content-Security-Policy", loadsNothing);
};

/** Identifies the sender but rejects nothing. A valid cookie does not make up for a wrong token. */
export function identify(token: string, sessions: BrowserSessions, mounts: readonly Mount[]): MiddlewareHandler<Env> {
  const isToken = tokenCheck(token);
  const given = (c: Context<Env>, authorization: string) =>
    bearerIn(authorization) ?? passwordIn(authorization, basicOf(c, mounts)?.user);
  const accessOf = (c: Context<Env>): Access => {
    const authorization = c.req.header("authorization");
    if (authorization !== undefined) return isToken(given(c, authorization)) ? "token" : null;
    return hasSession(c, sessions) ? "cookie" : null;
  };
  return async (c, next) => {
    c.set("access", accessOf(c));
    await next();
  };
}

export function requireAccess(mounts: readonly Mount[]): MiddlewareHandler<Env> {
  return async (c, next) => {
    const access = c.get("access");
    const { authorize, callerOf } = mountOf(mounts, c.req.path) ?? {};
    if (authorize) {
      authorize(c.req.raw.headers);
      return next();
    }
    if (callerOf) {
      const token = bearerIn(c.req.header("authorization") ?? "");
      c.set("caller", await callerOf({ token, isApiToken: access !== null }));
      return next();
    }
    if (access === null) throw unauthorized(basicOf(c, mounts)?.hint);
    // Browsers add the cookie to any request, so a request that changes something must carry an allowed origin.
    const changes = c.req.method !== "GET" && c.req.method !== "HEAD";
    if (access === "cookie" && changes && c.req.header("origin") === undefined) throw originRefused();
    await next();
  };
}

function basicOf(c: Context<Env>, mounts: readonly Mount[]): Mount["basic"] {
  return mountOf(mounts, c.req.path)?.basic ?? null;
}

/** Hashes all have the same length, so the comparison takes constant time. */
export function tokenCheck(token: string): (given: string | null) => boolean {
  const hashOf = (text: string) => createHash("sha256").update(text).digest();
  const expected = hashOf(token);
  return (given) => given !== null && timingSafeEqual(hashOf(given), expected);
}

function bearerIn(authorization: string): string | null {
  return /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1] ?? null;
}

/** Null for another user, or where Basic is not accepted. */
function passwordIn(authorization: string, user: string | undefined): string | null {
  const [, encoded] = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(authorization) ?? [];
  if (encoded === undefined || user === undefined) return null;
  const [, given, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, "base64").toString("utf8")) ?? [];
  return given === user ? (password ?? null) : null;
}

function unauthorized(hint: string | undefined): AppError {
  return new AppError({
    code: "unauthorized",
    message: "A valid token is required.",
    hint: hint ?? "Send `Authorization: Bearer TOKEN` with the token from Waybill's state directory.",
  });
}

/** `bytes` may depend on the path. */
type BodyLimits = { bytes: (path: string) => number; ms: number };

const bodiless = ["GET", "HEAD", "OPTIONS", "TRACE"];

/**
 * Reads the body of a request before any route sees it: JSON only, within a size and a time limit. When a body is
 * rejected, the server drains the rest of it for a moment so that the response gets through.
 */
export function jsonBody(limits: BodyLimits, clock: Clock): MiddlewareHandler<Env> {
  return async (c, next) => {
    if (!bodiless.includes(c.req.method)) await takeBody(c, { bytes: limits.bytes(c.req.path), ms: limits.ms }, clock);
    await next();
  };
}

type Limits = { bytes: number; ms: number };

async function takeBody(c: Context<Env>, limits: Limits, clock: Clock): Promise<void> {
  if (Number(c.req.header("content-length") ?? 0) > limits.bytes) throw tooLarge(limits.bytes);
  const bytes = await readBody(c.req.raw, limits, clock);
  if (bytes.length > 0 && !isPlainJson(c)) throw wrongMediaType();
  const { url, method, signal } = c.req.raw;
  const headers = new Headers([...c.req.raw.headers]);
  // An empty body has no type, whatever its header says; a route that needs a body reports the missing field.
  if (bytes.length === 0) headers.delete("content-type");
  c.req.raw = new Request(url, { method, headers, signal, body: bytes.length === 0 ? null : decode(bytes) });
}

function isPlainJson(c: Context<Env>): boolean {
  const [type = ""] = (c.req.header("content-type") ?? "").split(";");
  const encoding = c.req.header("content-encoding") ?? "identity";
  return type.trim().toLowerCase() === "application/json" && encoding.toLowerCase() === "identity";
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw malformedJson();
  }
}

async function readBody({ body }: Request, { bytes, ms }: Limits, clock: Clock): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  try {
    const closing = new AbortController().signal;
    return await withTimeout({ clock, closing }, ms, (signal) => readAll(body, bytes, signal));
  } catch (error) {
    throw error instanceof TimedOut ? tooSlow(ms) : error;
  }
}

async function readAll(body: ReadableStream<Uint8Array>, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bodyChunks(body)) {
    if (signal.aborted) break;
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Does not cancel the body when reading stops early: that would close the connection before the response. */
export async function* bodyChunks(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  while (reader) {
    const { done, value } = await reader.read().catch(clientGone);
    if (done) return;
    yield value;
  }
}

function clientGone(): never {
  throw new AppError({ code: "malformed_request", message: "The request ended before its body did." });
}

function tooLarge(bytes: number): AppError {
  return new AppError({
    code: "too_large",
    message: `The body is larger than ${bytes} bytes.`,
    hint: "Put long content in a file that the agent can read, and name the file in the text.",
  });
}

function tooSlow(ms: number): AppError {
  return new AppError({
    code: "request_timeout",
    message: `The body did not arrive within ${Math.ceil(ms / 1000)} s.`,
    hint: "Send it again.",
  });
}
