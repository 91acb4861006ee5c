/** A small build of the page in its own directory, with the layout of the real one. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** `__CSP_NONCE__` is replaced when it is served. */
const index = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Waybill</title><meta name="csp-nonce" content="__CSP_NONCE__">
<link rel="stylesheet" href="/assets/index-0a1b2c3d.css">
<script type="module" crossorigin src="/assets/index-0a1b2c3d.js"></script></head>
<body><p id="root">The page.</p></body></html>
`;

const assets = {
  // Adds a style element like a dialog library does, and calls the API with only the cookie.
  "index-0a1b2c3d.js": `const nonce = document.querySelector("meta[name=csp-nonce]").content;
const style = document.createElement("style");
style.nonce = nonce;
style.textContent = "#root { font-weight: 700 }";
document.head.append(style);
const { status } = await fetch("/v1/lanes");
document.querySelector("#root").textContent = "Lanes: " + status;
`,
  "index-0a1b2c3d.css": "#root { color: rgb(1, 2, 3) }\n",
  "index-0a1b2c3d.js.map": "{}",
  "icons-9f8e7d6c.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
  "text-1a2b3c4d.woff2": "wOF2",
  "words-5e6f7a8b.unknown": "?",
};

/** Removed with the test. */
export function pageBuild(): string {
  const directory = mkdtempSync(join(tmpdir(), "waybill-page-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, "index.html"), index);
  writeFileSync(join(directory, "favicon.svg"), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  mkdirSync(join(directory, "assets"));
  for (const [name, content] of Object.entries(assets)) writeFileSync(join(directory, "assets", name), content);
  return directory;
}
