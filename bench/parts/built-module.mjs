/** Imports a module of the program as it was built: the one place that knows where they are. */
import { existsSync } from "node:fs";

/** Where the program is bundled, its modules are built apart from it. */
const directories = ["../../build/", "../../dist/"].map((path) => new URL(path, import.meta.url));
const built = directories.find((directory) => existsSync(new URL("daemon/wiring/start-engine.js", directory)));
if (!built) throw new Error("The program is not built. Run it as `npm run bench`, which builds it first.");

export function builtModule(path) {
  return import(new URL(path, built).href);
}
