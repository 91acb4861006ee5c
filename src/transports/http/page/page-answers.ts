/** The responses to requests for the page and its files. Loaded on the first such request. */
import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import { getMimeType } from "hono/utils/mime";
import type { Env } from "../env.ts";
import { headersOf } from "../errors.ts";
import { closedPage, closedPageHeaders, notBuiltPage, refusedPage } from "./closed-pages.ts";
import type { FileContent } from "./page-files.ts";

/** The content of a file with a hash in its name never changes. */
const forEver = { "Cache-Control": "public, max-age=31536000, immutable" };

/** Pages of other origins may not load it. */
export function answerFile(c: Context<Env>, name: string, content: FileContent, { hasHash }: { hasHash: boolean }) {
  return c.body(content, 200, {
    "Content-Type": getMimeType(name) ?? "application/octet-stream",
    "Cross-Origin-Resource-Policy": "same-origin",
    ...(hasHash ? forEver : {}),
  });
}

export function answerIndex(c: Context<Env>, index: string) {
  const nonce = randomBytes(16).toString("base64url");
  return c.html(index.replaceAll("__CSP_NONCE__", nonce), 200, { "Content-Security-Policy": pagePolicy(nonce) });
}

/** The nonce is for the one style element that a library adds; nothing else is inline. */
function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

export function answerNotBuilt(c: Context<Env>) {
  return c.html(notBuiltPage(), 503, closedPageHeaders);
}

export function answerClosed(c: Context<Env>) {
  return c.html(closedPage(), 401, { ...closedPageHeaders, ...headersOf(401), ...askAgain(c) });
}

/**
 * When a browser follows a link from another site, it leaves out the SameSite=Strict cookie, also on reload. The same
 * request, sent by the page itself, carries it. Views are read-only, so such a link can do no harm.
 */
function askAgain(c: Context<Env>): Record<string, string> {
  const isLink = c.req.header("sec-fetch-mode") === "navigate" && c.req.header("sec-fetch-site") === "cross-site";
  return isLink ? { Refresh: "0" } : {};
}

export function answerRefused(c: Context<Env>) {
  return c.html(refusedPage(), 403, closedPageHeaders);
}
