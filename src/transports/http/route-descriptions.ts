/** Building blocks of route descriptions: parameters, bodies, responses, errors, and paged lists. */
import type { RouteConfig } from "@hono/zod-openapi";
import { createRoute, z } from "@hono/zod-openapi";
import { errorSchema } from "./schemas.ts";

const errorDescriptions = {
  400: "The request is invalid; nothing was changed.",
  401: "The token is missing or wrong.",
  403: "The `Host`, the `Origin` or the request itself is not allowed.",
  404: "Not found.",
  408: "The body arrived too slowly.",
  409: "The request conflicts with the current state; nothing was changed.",
  413: "The body is too large.",
  415: "The body is not JSON.",
  500: "An internal error in Waybill; see its log.",
  503: "Temporarily unavailable; try again later.",
} as const;
type ErrorStatus = keyof typeof errorDescriptions;

type ErrorAnswer = { description: string; content: { "application/json": { schema: typeof errorSchema } } };

function errors<S extends ErrorStatus>(statuses: readonly S[]): Record<S, ErrorAnswer> {
  const answer = (status: S): ErrorAnswer => ({
    description: errorDescriptions[status],
    content: { "application/json": { schema: errorSchema } },
  });
  return Object.fromEntries(statuses.map((status) => [status, answer(status)])) as Record<S, ErrorAnswer>;
}

/** The errors of a route that needs no token. */
export const openErrors = errors([403, 500]);

export function readErrors<S extends ErrorStatus = never>(...more: S[]) {
  return errors([400, 401, 403, 500, 503, ...more]);
}

export function changeErrors<S extends ErrorStatus = never>(...more: S[]) {
  return errors([400, 401, 403, 408, 413, 415, 500, 503, ...more]);
}

export function answerOf<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { "application/json": { schema } } };
}

export function requestBody<T extends z.ZodType>(schema: T) {
  return { content: { "application/json": { schema } }, required: true as const };
}

type Method = "GET" | "POST" | "PUT" | "DELETE";
type Details = Omit<RouteConfig, "method" | "path" | "operationId" | "tags" | "security">;

/** A route that needs no token. The operation is its method and path. */
export const openRoute = routeWith([]);

/** A route that needs the token or the cookie. */
export const guardedRoute = routeWith([{ token: [] }, { session: [] }]);

function routeWith(security: NonNullable<RouteConfig["security"]>) {
  return <const M extends Method, const P extends string, const D extends Details>(
    tag: string,
    operation: `${M} ${P}`,
    operationId: string,
    details: D,
  ) => {
    const [name, path] = operation.split(" ") as [M, P];
    const method = name.toLowerCase() as Lowercase<M>;
    return createRoute({ tags: [tag], security, method, path, operationId, ...details });
  };
}

export function idParam(description: string) {
  return z.strictObject({ id: z.string().min(1).max(256).openapi({ description }) });
}

export const laneFilter = z.string().min(1).max(128).optional().describe("Only results of this lane.");

/** A number in the query, from 1 to `max`. */
export function countQuery({ max, standard, description }: { max: number; standard: number; description: string }) {
  return z
    .string()
    .regex(/^\d{1,3}$/, `must be a number from 1 to ${max}`)
    .default(String(standard))
    .transform(Number)
    .pipe(z.number().min(1, "must be at least 1").max(max, `must not be more than ${max}`))
    .openapi({ type: "integer", minimum: 1, maximum: max, default: standard, description });
}

/** `true` or `false` in the query. */
export function flagQuery(description: string) {
  return z.enum(["true", "false"]).optional().describe(description);
}

export const limit = countQuery({ max: 200, standard: 50, description: "The maximum number of results." });

export const cursor = z
  .string()
  .min(1)
  .max(256)
  .optional()
  .describe("`nextCursor` of the previous page; opaque. Omit it for the first page.");

export const nextCursor = z.string().optional().describe("The cursor of the next page. Absent on the last page.");

/** Every list can be filtered by lane; `filter` adds this list's own filters. */
export function pageQuery<F extends z.ZodRawShape>(filter: F) {
  return z.strictObject({ lane: laneFilter, ...filter, limit, cursor });
}

/** `items` is the one field that holds the results; `name` is the name of the page's schema. */
export function pageAnswers<I extends z.ZodRawShape>(name: string, items: I) {
  return {
    200: answerOf(z.object({ ...items, nextCursor }).openapi(name), "One page of results."),
    ...readErrors(404),
  };
}

/** The last field of the response for a page from the service. */
export function nextOf(page: { next: string | null }): { nextCursor?: string } {
  return page.next === null ? {} : { nextCursor: page.next };
}
