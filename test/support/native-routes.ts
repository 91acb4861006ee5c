/** The routes of the pinned OpenCode server, as scripts/opencode-routes.mjs wrote them down. */
import { readFileSync } from "node:fs";

export function nativeRouteList(): string[] {
  const file = new URL("../fixtures/opencode-routes.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { routes: string[] }).routes;
}

/** The same of an OpenAPI document, as a server gives it. */
export function routesIn({ paths }: { paths: Record<string, object> }): string[] {
  return Object.entries(paths)
    .flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`))
    .sort();
}
