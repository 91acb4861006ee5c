/** The built program's modules that benchmarks use: the one place that knows where they are. */
const from = (path) => import(new URL(`../../dist/${path}`, import.meta.url).href);

export const { systemClock } = await from("clock.js");
export const { defaultPolicy } = await from("core/delivery/policy.js");
export const { startEngine } = await from("daemon/wiring/start-engine.js");
export const { openSqliteStore } = await from("store/sqlite/sqlite-store.js");
