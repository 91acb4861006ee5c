/**
 * Updates the table of refused routes in docs/opencode-api.md. Given the address of a running `opencode serve`, it
 * also records that server's routes for the tests.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const [url] = process.argv.slice(2);
if (url !== undefined) await writeDownRoutesOf(url);

const source = fileURLToPath(new URL("../src/transports/opencode-api/refused-routes.ts", import.meta.url));
const { refusedRoutes } = (await runnerImport(source)).module;
const refusals = [...new Set(refusedRoutes.map(({ refusal }) => refusal))];
const refusedFor = (reason) => refusedRoutes.filter(({ refusal }) => refusal === reason).map(({ route }) => route);
const named = (routes) => routes.map((route) => `\`${route}\``).join(", ");
const rows = refusals.map((reason) => `| ${named(refusedFor(reason))} | ${reason.why} ${reason.instead} |`);

const file = new URL("../docs/opencode-api.md", import.meta.url);
const document = readFileSync(file, "utf8");
const head = "| routes | why, and what to do instead |\n|---|---|\n";
const start = document.indexOf(head);
if (start < 0) throw new Error("There is no table of refused routes in docs/opencode-api.md.");
const end = document.indexOf("\n\n", start);
writeFileSync(file, document.slice(0, start) + head + rows.join("\n") + document.slice(end));

async function writeDownRoutesOf(server) {
  const { paths } = await (await fetch(new URL("/doc", server))).json();
  const { version } = await (await fetch(new URL("/global/health", server))).json();
  const routes = Object.entries(paths)
    .flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`))
    .sort();
  const list = new URL("../test/fixtures/opencode-routes.json", import.meta.url);
  writeFileSync(list, `${JSON.stringify({ version, routes }, null, 2)}\n`);
  console.log(`${routes.length} routes of OpenCode ${version}.`);
}
