/** The tables of OpenCode's routes in the document match the real server's list, the app, and its refusals. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { makeOpenCodeApp } from "../../src/transports/opencode-api/opencode-app.ts";
import { openCodePath } from "../../src/transports/opencode-api/opencode-path.ts";
import { refusedRoutes } from "../../src/transports/opencode-api/refused-routes.ts";
import { anApi, routeDeps } from "../support/daemon/http-api.ts";
import { nativeRouteList } from "../support/opencode/native-routes.ts";

const { ask, service } = anApi();
const document = readFileSync(new URL("../../docs/opencode-api.md", import.meta.url), "utf8");
/** The rows of both tables: their routes, and what the document says about them. */
const rows = [...document.matchAll(/^\| (`[A-Z]+ \/.*`) \| (.+) \|$/gm)].map(([, names = "", words = ""]) => ({
  routes: names.replaceAll("`", "").split(", "),
  words,
}));
const refused = new Set(refusedRoutes.map(({ route }) => route));
const served = rows.flatMap(({ routes }) => routes).filter((route) => !refused.has(route));
const inApp = makeOpenCodeApp(routeDeps(service))
  .routes.filter(({ method }) => method !== "ALL")
  .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);

describe("the table of OpenCode's routes", () => {
  test("has each route of the real server once, and no others", () => {
    expect([...served, ...refused].sort()).toEqual(nativeRouteList());
  });

  test("marks exactly the routes that the app serves as served", () => {
    const present = [...new Set(inApp)].filter((route) => !refused.has(route));
    const missing = served.filter((route) => !present.includes(route));
    expect({ missing, unknown: present.filter((route) => !served.includes(route)) }).toEqual({
      missing: [],
      unknown: [],
    });
    // A route that is both refused and served would be there twice.
    expect(inApp.filter((route, i) => inApp.indexOf(route) !== i)).toEqual([]);
  });

  test.each(refusedRoutes)("$route answers that it is not served, and why", async ({ route, refusal }) => {
    const [method = "", path = ""] = route.split(" ");
    const answer = await ask(openCodePath + path.replaceAll(/\{\w+\}|\*/g, "x"), { method });
    expect([answer.status, answer.body]).toEqual([501, expect.stringContaining("not_served")]);
    expect(answer.body).toContain(refusal.why);
  });

  test("is in the document unchanged", () => {
    const refusals = [...new Set(refusedRoutes.map(({ refusal }) => refusal))];
    const refusedRows = rows.filter(({ routes }) => routes.some((route) => refused.has(route)));
    expect(refusedRows).toEqual(
      refusals.map((refusal) => ({
        routes: refusedRoutes.filter((one) => one.refusal === refusal).map(({ route }) => route),
        words: `${refusal.why} ${refusal.instead}`,
      })),
    );
  });
});
