/** Small pages for people, rendered here: no script, nothing from elsewhere, and everything that is shown is escaped. */
import { createHash } from "node:crypto";
import type { z } from "@hono/zod-openapi";
import { html, raw } from "hono/html";
import type { laneSchema } from "./schemas.ts";

type Lane = z.output<typeof laneSchema>;
type Html = ReturnType<typeof html>;

const style =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}" +
  "table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ccc}";
const styleHash = createHash("sha256").update(style).digest("base64");

export const pageHeaders = {
  "Content-Security-Policy":
    `default-src 'none'; style-src 'sha256-${styleHash}'; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

export function statusPage(lanes: readonly Lane[]): Html {
  const rows = lanes.map(laneRow);
  const table = html`<table>
<thead><tr><th>Lane</th><th>Runtime</th><th>State</th><th>Waiting</th></tr></thead>
<tbody>${rows}</tbody>
</table>`;
  return page(html`<h1>Waybill</h1>
${lanes.length === 0 ? html`<p>No lane has been set up yet.</p>` : table}
<p><a href="/v1/deliveries">Deliveries</a> · <a href="/v1/messages">Messages</a> · <a href="/v1/asks">Asks</a> ·
<a href="/metrics">Metrics</a> · <a href="/openapi.json">API</a></p>`);
}

function laneRow(lane: Lane): Html {
  return html`<tr><td><a href="/v1/lanes/${encodeURIComponent(lane.id)}">${lane.displayName ?? lane.id}</a></td>
<td>${lane.runtime}</td><td>${stateOf(lane)}${lane.notices.map(({ message }) => html`<br>${message}`)}</td><td>${lane.waiting}</td></tr>`;
}

function stateOf(lane: Lane): string {
  if (lane.pausedReason !== null) return `paused: ${lane.pausedReason}`;
  if (!lane.runtimeReady) return "its runtime cannot be reached";
  if (lane.holder) return `${lane.holder.status}: message ${lane.holder.messageId}`;
  return lane.waitReason ?? "free";
}

export function closedPage(): Html {
  return page(html`<h1>Waybill</h1>
<p>Run <code>waybill open</code> in a terminal on this machine to get in.</p>`);
}

export function refusedPage(): Html {
  return page(html`<h1>Waybill</h1>
<p>This link was used before, or it is too old. Run <code>waybill open</code> again to get in.</p>`);
}

function page(content: Html): Html {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Waybill</title>
<meta name="viewport" content="width=device-width"><style>${raw(style)}</style></head>
<body>${content}</body></html>`;
}
