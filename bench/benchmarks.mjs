/** The benchmarks and their files, in the order in which they run and are shown. */
export const benchmarks = {
  ledger: "./ledger.mjs",
  latency: "./latency.mjs",
  "long-sessions": "./long-sessions.mjs",
  events: "./events.mjs",
  footprint: "./footprint-beside-peers.mjs",
  growth: "./growth.mjs",
  inbox: "./inbox.mjs",
  page: "./page.mjs",
};
