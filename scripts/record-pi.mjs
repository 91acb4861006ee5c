/** Records the output of the real pi in small scenarios, as fixtures in `test/fixtures/pi`. */
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const { module } = await runnerImport(path("test/support/pi/record-pi.ts"));
await module.recordPi(path("test/fixtures/pi"), process.argv.slice(2));
