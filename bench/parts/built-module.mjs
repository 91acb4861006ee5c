/** Imports a built module of the program: the only place that knows where they are. */
import { existsSync } from "node:fs";

/** The program is bundled, so its modules are built separately. */
const directories = ["../../build/", "../../dist/"].map((path) => new URL(path, import.meta.url));
const built = directories.find((directory) => existsSync(new URL("daemon/wiring/start-engine.js", directory)));
if (!built) throw new Error("The program is not built. Run it as `npm run bench`, which builds it first.");

export function builtModule(path) {
  return import(new URL(path, built).href);
}
