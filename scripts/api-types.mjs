/**
 * Writes the types of the client from the OpenAPI document. Runs the sources as they are, without checking types: the
 * client may not fit a changed document until this has run.
 */
import { writeFileSync } from "node:fs";
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
  const { runtimeKinds } = await load("../src/runtimes/kinds.ts");
  writeFileSync(new URL("../src/client/api-types.ts", import.meta.url), await apiTypes(openApiDocument(runtimeKinds)));
}
