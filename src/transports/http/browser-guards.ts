/**
 * Keeps web pages out: allowed `Host` and `Origin` headers, and the headers of every response. Listening on loopback alone is no defence: any page in a browser can send requests
 * to it, under its own name (DNS rebinding) or with its own origin.
 */
import type { MiddlewareHandler } from "hono";
import { AppError } from "../../app-error.ts";
import type { Env } from "./env.ts";

export type AllowedNames = {
  /** Beside loopback: `name:port`, or `name` for any port. */
  hosts: readonly string[];
  /** Beside those hosts: whole origins, `https://name[:port]`. */
  origins: readonly string[];
};

const loopback = ["127.0.0.1", "localhost", "[::1]"];

/** Compared as sent, in lower case: other spellings of an address are refused. */
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

export function onlyAllowedNames(names: AllowedNames): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { port } = c.env;
    if (!hostAllowed(c.req.header("host") ?? "", port, names)) throw hostRefused(port);
    const origin = c.req.header("origin");
    if (origin !== undefined && !originAllowed(origin, port, names)) throw originRefused();
    await next();
  };
}

function hostRefused(port: number): AppError {
  return new AppError({
    code: "host_not_allowed",
    message: "This server is not called by that name.",
    hint: `Use http://127.0.0.1:${port}, or allow the name in the configuration.`,
  });
}

export function originRefused(): AppError {
  return new AppError({
    code: "origin_not_allowed",
    message: "Requests from that origin are not taken.",
    hint: "Use the page that Waybill serves itself, or allow the origin in the configuration.",
  });
}

/** Pages set their own policy. */
const loadsNothing = "default-src 'none'; frame-ancestors 'none'";

export const securityHeaders: MiddlewareHandler<Env> = async (c, next) => {
  await next();
  const { headers } = c.res;
  headers.set("Cache-Control", "no-store");
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "no-referrer");
  if (!headers.has("Content-Security-Policy")) headers.set("Content-Security-Policy", loadsNothing);
};
