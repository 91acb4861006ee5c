/** Records the output of the real Claude Code in small scenarios, as fixtures in `test/fixtures/claude`. */
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const { module } = await runnerImport(path("test/support/claude/record-claude.ts"));
await module.recordClaude(path("test/fixtures/claude"), process.argv.slice(2));
