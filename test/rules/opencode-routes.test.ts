/** The table of OpenCode's routes matches the real server's list, the app, and the document. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Refusal } from "../../src/transports/opencode-api/native-routes.ts";
import { nativeRoutes } from "../../src/transports/opencode-api/native-routes.ts";
import { makeOpenCodeApp } from "../../src/transports/opencode-api/opencode-app.ts";
import { openCodePath } from "../../src/transports/opencode-api/opencode-path.ts";
import { anApi, routeDeps } from "../support/daemon/http-api.ts";
import { nativeRouteList } from "../support/opencode/native-routes.ts";

const { ask, service } = anApi();
const served = nativeRoutes.filter(({ refusal }) => refusal === null).map(({ route }) => route);
const refused = nativeRoutes.flatMap(({ route, refusal }) => (refusal === null ? [] : [{ route, refusal }]));
const inApp = makeOpenCodeApp(routeDeps(service))
  .routes.filter(({ method }) => method !== "ALL")
  .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);

describe("the table of OpenCode's routes", () => {
  test("has each route of the real server once, and no others", () => {
    expect(nativeRoutes.map(({ route }) => route).sort()).toEqual(nativeRouteList());
  });

  test("marks exactly the routes that the app serves as served", () => {
    const refusedOnes = new Set(refused.map(({ route }) => route));
    const present = [...new Set(inApp)].filter((route) => !refusedOnes.has(route));
    const missing = served.filter((route) => !present.includes(route));
    expect({ missing, unknown: present.filter((route) => !served.includes(route)) }).toEqual({
      missing: [],
      unknown: [],
    });
    // A route that is both refused and served would be there twice.
    expect(inApp.filter((route, i) => inApp.indexOf(route) !== i)).toEqual([]);
  });

  test.each(refused)("$route answers that it is not served, and why", async ({ route, refusal }) => {
    const [method = "", path = ""] = route.split(" ");
    const answer = await ask(openCodePath + path.replaceAll(/\{\w+\}|\*/g, "x"), { method });
    expect([answer.status, answer.body]).toEqual([501, expect.stringContaining("not_served")]);
    expect(answer.body).toContain(refusal.why);
  });

  test("is in the document unchanged", () => {
    const document = readFileSync(new URL("../../docs/opencode-api.md", import.meta.url), "utf8");
    const rows = [...document.matchAll(/^\| (`[A-Z]+ \/.*) \| (.+) \|$/gm)].map(([row]) => row);
    expect(rows).toEqual(documentRows());
  });
});

/** A row for each served route, then one for each reason. */
function documentRows(): string[] {
  const given = nativeRoutes.flatMap(({ route, gives }) => (gives === null ? [] : [`| \`${route}\` | ${gives} |`]));
  const reasons = [...new Set(refused.map(({ refusal }) => refusal))];
  const namesOf = (reason: Refusal) => refused.flatMap(({ route, refusal }) => (refusal === reason ? [route] : []));
  const words = (routes: readonly string[]) => routes.map((route) => `\`${route}\``).join(", ");
  return [...given, ...reasons.map((reason) => `| ${words(namesOf(reason))} | ${reason.why} ${reason.instead} |`)];
}
