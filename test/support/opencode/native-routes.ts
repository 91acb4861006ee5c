/** The routes of the pinned OpenCode server, as recorded by scripts/opencode-routes.mjs. */
import { readFileSync } from "node:fs";

export function nativeRouteList(): string[] {
  const file = new URL("../../fixtures/opencode-routes.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { routes: string[] }).routes;
}

/** The routes of a server's OpenAPI document. */
export function routesIn({ paths }: { paths: Record<string, object> }): string[] {
  return Object.entries(paths)
    .flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`))
    .sort();
}
