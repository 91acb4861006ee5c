/** The operations of the API as its OpenAPI document lists them, for tests that must reach every one. */
import { runtimeKinds } from "../../../src/runtimes/registry.ts";
import { openApiDocument } from "../../../src/transports/http/openapi.ts";

export type Schema = Record<string, unknown>;
export type Parameter = { name: string; in: "path" | "query" | "header"; required?: boolean; schema: Schema };
export type Content = Record<string, { schema: Schema }>;

export type Operation = {
  method: string;
  path: string;
  operationId: string;
  tags: readonly string[];
  summary: string;
  security: readonly Record<string, unknown>[];
  parameters: readonly Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content }>;
};

type Document = { paths: Record<string, Record<string, Omit<Operation, "method" | "path" | "parameters">>> };

export const operations: readonly Operation[] = Object.entries(
  (openApiDocument(runtimeKinds) as Document).paths,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(
    ([method, operation]): Operation => ({
      parameters: [],
      ...operation,
      method: method.toUpperCase(),
      path,
    }),
  ),
);

export function needsToken(operation: Operation): boolean {
  return operation.security.length > 0;
}

/** The path with a value for each parameter. */
export function somePath({ path }: Operation): string {
  return path.replaceAll(/\{\w+\}/g, "something");
}
