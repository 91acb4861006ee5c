/**
 * Plays every scene on the real OpenCode and through Waybill on every agent, and writes the results to
 * docs/opencode-api.md.
 *
 *   node scripts/compare-opencode.mjs
 */
import { fileURLToPath } from "node:url";
import { createServer } from "vite";

// It stays open while the scenes are played, because parts of Waybill are loaded on first use.
const vite = await createServer({ configFile: false, server: { middlewareMode: true, hmr: false, ws: false } });
const path = fileURLToPath(new URL("../test/support/opencode/opencode-comparison.ts", import.meta.url));
const { writeComparison } = await vite.ssrLoadModule(path);
await writeComparison();
process.exit(0);
