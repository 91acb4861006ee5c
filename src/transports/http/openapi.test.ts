import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { anApi } from "../../../test/support/daemon/http-api.ts";
import { needsToken, operations } from "../../../test/support/rules/openapi-operations.ts";
import { runtimeKinds } from "../../runtimes/registry.ts";
import { openApiDocument } from "./openapi.ts";
import { pageFiles, pageViews } from "./routes/page.ts";

const document = openApiDocument(runtimeKinds) as Record<string, unknown>;

describe("the OpenAPI document", () => {
  it("contains the target of every reference", () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
    const at = (path: string) =>
      path.split("/").reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
    const missing = [...references].map(([, path]) => path ?? "").filter((path) => at(path) === undefined);
    expect(missing).toEqual([]);
  });

  it("has schemas that a validator can compile", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ ...document, $id: "waybill" });
    const { schemas } = document.components as { schemas: Record<string, unknown> };
    for (const name of Object.keys(schemas)) ajv.compile({ $ref: `waybill#/components/schemas/${name}` });
    expect(Object.keys(schemas).length).toBeGreaterThan(10);
  });

  it("gives every operation a unique id, a tag and a summary", () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(operations.filter(({ tags, summary }) => tags.length !== 1 || !summary)).toEqual([]);
  });

  it("declares all tags and security schemes that it uses", () => {
    const { tags, components } = document as { tags: { name: string }[]; components: { securitySchemes: object } };
    const known = tags.map(({ name }) => name);
    expect(operations.flatMap((one) => one.tags).filter((tag) => !known.includes(tag))).toEqual([]);
    const schemes = operations.flatMap(({ security }) => security.flatMap((one) => Object.keys(one)));
    expect([...new Set(schemes)].sort()).toEqual(Object.keys(components.securitySchemes).sort());
  });

  it.each(operations.map((one) => [`${one.method} ${one.path}`, one] as const))(
    "documents the errors of %s",
    (_, one) => {
      const documented = Object.keys(one.responses);
      expect(documented).toEqual(expect.arrayContaining(["403", "500"]));
      if (needsToken(one)) expect(documented).toEqual(expect.arrayContaining(["400", "401", "503"]));
      if (one.method !== "GET") expect(documented).toEqual(expect.arrayContaining(["408", "413", "415"]));
      if (one.path.includes("{")) expect(documented).toContain("404");
      const successes = documented.filter((status) => status < "400");
      expect(successes).toHaveLength(1);
    },
  );

  it("requires a token everywhere except for health, readiness and login", () => {
    const open = operations.filter((one) => !needsToken(one)).map(({ path }) => path);
    expect(open.sort()).toEqual(["/health", "/login", "/ready"]);
  });

  it("describes exactly the routes of the app, except the views and files of the page", () => {
    const ofPage = [...pageViews, ...pageFiles];
    const served = anApi({ mounts: [] })
      .app.routes.filter(({ method, path }) => method !== "ALL" && !ofPage.includes(path))
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
    expect([...new Set(served)].sort()).toEqual(operations.map(({ method, path }) => `${method} ${path}`).sort());
  });
});
