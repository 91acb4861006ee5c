/**
 * Updates docs/opencode-api.md from the table of OpenCode's routes. Given the address of a running `opencode serve`, it
 * also records that server's routes for the tests.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const [url] = process.argv.slice(2);
if (url !== undefined) await writeDownRoutesOf(url);

const source = fileURLToPath(new URL("../src/transports/opencode-api/native-routes.ts", import.meta.url));
const { nativeRoutes } = (await runnerImport(source)).module;
const refusals = [...new Set(nativeRoutes.flatMap(({ refusal }) => refusal ?? []))];
const refusedFor = (reason) => nativeRoutes.filter(({ refusal }) => refusal === reason).map(({ route }) => route);
const named = (routes) => routes.map((route) => `\`${route}\``).join(", ");
const rows = {
  "| route | what it gives |": nativeRoutes.flatMap(({ route, gives }) =>
    gives ? [`| \`${route}\` | ${gives} |`] : [],
  ),
  "| routes | why, and what to do instead |": refusals.map(
    (reason) => `| ${named(refusedFor(reason))} | ${reason.why} ${reason.instead} |`,
  ),
};

const file = new URL("../docs/opencode-api.md", import.meta.url);
let document = readFileSync(file, "utf8");
for (const [head, lines] of Object.entries(rows)) {
  const start = document.indexOf(`${head}\n|---|---|\n`);
  if (start < 0) throw new Error(`There is no table "${head}" in docs/opencode-api.md.`);
  const end = document.indexOf("\n\n", start);
  document = `${document.slice(0, start)}${[head, "|---|---|", ...lines].join("\n")}${document.slice(end)}`;
}
writeFileSync(file, document);

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
