/**
 * The responses to requests for the page and its files, and small pages for browsers that cannot get the real one: no
 * scripts, and no external resources. Loaded on the first such request.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Context } from "hono";
import { html, raw } from "hono/html";
import { getMimeType } from "hono/utils/mime";
import type { Env } from "../env.ts";
import { headersOf } from "../errors.ts";
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

type Html = ReturnType<typeof html>;

/** The content security policy allows exactly this text, by its hash. */
const style = `
:root { color-scheme: light dark; --back: #f6f6f4; --card: #fff; --text: #1d1f23; --muted: #5c6068; --line: #dcdcd8;
  --code: #f0f0ec; --link: #0b57b0 }
@media (prefers-color-scheme: dark) {
  :root { --back: #15171a; --card: #1d2024; --text: #e6e7e9; --muted: #a0a5ad; --line: #33373d; --code: #272b30;
    --link: #7fb4f5 }
}
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif }
main { box-sizing: border-box; width: min(34rem, 100% - 2rem); margin: 1rem; padding: 1.5rem 2rem;
  background: var(--card); border: 1px solid var(--line); border-radius: 10px }
h1 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.3 }
p, pre { margin: 0 0 .875rem }
main > :last-child { margin-bottom: 0 }
.brand { margin: 0; font-size: .875rem; font-weight: 600; color: var(--muted) }
pre, code { background: var(--code); border-radius: 6px; font: .9375em/1.5 ui-monospace, monospace }
pre { padding: .6rem .9rem; overflow-x: auto }
code { padding: .1rem .3rem }
small { font-size: .875rem; color: var(--muted) }
a { color: var(--link) }
`;
const styleHash = createHash("sha256").update(style).digest("base64");

const closedPageHeaders = {
  "Content-Security-Policy":
    `default-src 'none'; style-src 'sha256-${styleHash}'; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

const howToSignIn = html`<pre>waybill open</pre>
<p><small>In a clone of the repository it is <code>npx waybill open</code>. The link that it opens works once, within ten
minutes.</small></p>`;

/** For a browser without a session. */
function closedPage(): Html {
  return page(
    "Sign in",
    html`<p>This browser is not signed in, or its session has ended. Run this in a terminal on the machine where Waybill
runs:</p>
${howToSignIn}`,
  );
}

/** For an invalid one-time code. */
function refusedPage(): Html {
  return page(
    "This link no longer works",
    html`<p>It was used before, it is older than ten minutes, or Waybill was restarted since.</p>
<p>If this browser is signed in already, <a href="/">go to the page</a>. Otherwise get a new link in a terminal on the machine
where Waybill runs:</p>
${howToSignIn}`,
  );
}

function notBuiltPage(): Html {
  return page(
    "The page is not built",
    html`<p>This copy of Waybill was built without its page. Waybill itself works, and so do its command line and its API. To
build the page, run this in the directory of Waybill, and then reload:</p>
<pre>npm run ready</pre>`,
  );
}

function page(title: string, content: Html): Html {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Waybill: ${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${raw(style)}</style></head>
<body><main><p class="brand">Waybill</p><h1>${title}</h1>
${content}</main></body></html>`;
}
