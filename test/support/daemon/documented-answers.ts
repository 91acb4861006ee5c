/** Checks an answer against the OpenAPI document: its status, its type and the shape of its body. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { runtimeKinds } from "../../../src/runtimes/registry.ts";
import { openApiDocument } from "../../../src/transports/http/openapi.ts";
import type { Operation } from "../rules/openapi-operations.ts";

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ ...openApiDocument(runtimeKinds), $id: "waybill" });

/** Describes what differs from the document; null if nothing does. */
export function undocumented(
  { method, path, operationId, responses }: Operation,
  answer: { status: number; headers: Headers; body: string },
): string | null {
  const documented = responses[answer.status];
  if (!documented) return `${method} ${path} does not document ${answer.status}: ${answer.body.slice(0, 200)}`;
  const [type = ""] = (answer.headers.get("content-type") ?? "").split(";");
  if (!documented.content) return answer.body === "" ? null : `${operationId} ${answer.status} has a body`;
  if (!documented.content[type]) return `${operationId} ${answer.status} is of the type "${type}"`;
  if (type !== "application/json") return null;
  const place = ["paths", path, method.toLowerCase(), "responses", `${answer.status}`, "content", type, "schema"];
  const pointer = place.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
  const validate = ajv.getSchema(`waybill#/${pointer}`);
  if (!validate) return `${operationId} ${answer.status} has no schema`;
  return validate(JSON.parse(answer.body))
    ? null
    : `${operationId} ${answer.status}: ${ajv.errorsText(validate.errors)}`;
}
