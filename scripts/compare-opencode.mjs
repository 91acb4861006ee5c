/**
 * Plays every scene on the real OpenCode and through Waybill on every agent, and writes what came of it into
 * docs/opencode-api.md.
 *
 *   node scripts/compare-opencode.mjs
 */
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const { module } = await runnerImport(
  fileURLToPath(new URL("../test/support/opencode-comparison.ts", import.meta.url)),
);
await module.writeComparison();
process.exit(0);
