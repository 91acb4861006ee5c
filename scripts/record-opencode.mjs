/**
 * Records the streams that the translation tests read: starts the real OpenCode on the scripted model, plays the scenarios
 * of `test/recorder/scenarios.ts`, and stores the server's output in `test/fixtures/opencode`.
 *
 *   node scripts/record-opencode.mjs [NAME…]
 */
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const { module } = await runnerImport(fileURLToPath(new URL("../test/recorder/record.ts", import.meta.url)));
await module.record(process.argv.slice(2));
