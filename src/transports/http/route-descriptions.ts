/** Building blocks of route descriptions: parameters, bodies, responses and errors. */
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

/** A route that needs the token or the cookie. */
export function guardedRoute<
  const P extends string,
  const R extends Omit<RouteConfig, "path" | "tags" | "security"> & { path: P },
>(tag: string, route: R) {
  return createRoute({ tags: [tag], security: [{ token: [] }, { session: [] }], ...route });
}

export function idParam(description: string) {
  return z.strictObject({ id: z.string().min(1).max(256).openapi({ description }) });
}

export const laneFilter = z.string().min(1).max(128).optional().openapi({ description: "Only results of this lane." });
