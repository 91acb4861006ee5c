/**
 * Writes the recorded streams that the tests of the translation read: starts the real OpenCode on the scripted model,
 * plays the scenarios of `test/recorder/scenarios.ts`, and keeps what the server said in `test/fixtures/opencode`.
 *
 *   node scripts/record-opencode.mjs [NAME…]
 */
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const { module } = await runnerImport(fileURLToPath(new URL("../test/recorder/record.ts", import.meta.url)));
await module.record(process.argv.slice(2));
