// Writes down which routes an OpenCode server has, for the test that holds ours against them:
//   node scripts/opencode-routes.mjs http://127.0.0.1:4096
import { writeFileSync } from "node:fs";

const [url] = process.argv.slice(2);
if (url === undefined) throw new Error("Name the address of a running `opencode serve`.");
const { paths } = await (await fetch(new URL("/doc", url))).json();
const { version } = await (await fetch(new URL("/global/health", url))).json();
const routes = Object.entries(paths)
  .flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`))
  .sort();
const file = new URL("../test/fixtures/opencode/routes.json", import.meta.url);
writeFileSync(file, `${JSON.stringify({ version, routes }, null, 2)}\n`);
console.log(`${routes.length} routes of OpenCode ${version}.`);
