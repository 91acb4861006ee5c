/**
 * Generates the client's types from the OpenAPI document. Runs the sources without checking types: until this has run, the
 * client may not match a changed document.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const head = `/** The API in types. Made from the OpenAPI document by \`npm run api-types\`: change src/transports/http instead. */

`;

export async function apiTypes(document) {
  return head + astToString(await openapiTS(document));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { runnerImport } = await import("vite");
  const load = async (path) => (await runnerImport(fileURLToPath(new URL(path, import.meta.url)))).module;
  const { openApiDocument } = await load("../src/transports/http/openapi.ts");
  const { runtimeKinds } = await load("../src/runtimes/registry.ts");
  const file = new URL("../src/client/api-types.ts", import.meta.url);
  const types = await apiTypes(openApiDocument(runtimeKinds));
  // An unneeded write would cause a new build, and a concurrent reader could see half a file.
  if (types !== readFileSync(file, "utf8")) writeFileSync(file, types);
}
