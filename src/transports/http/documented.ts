/** The parts from which the routes are described: parameters, answers, and the errors that each may end in. */
import { z } from "@hono/zod-openapi";
import { errorShape } from "./shapes.ts";

const errorDescriptions = {
  400: "The request is not valid; nothing was changed.",
  401: "No token, or a wrong one.",
  403: "The `Host` or the `Origin` is not allowed, or what was asked for is not.",
  404: "There is no such thing.",
  408: "The body came too slowly.",
  409: "It does not fit what is there; nothing was changed.",
  413: "The body is too large.",
  415: "The body is not JSON.",
  500: "A fault in Waybill; its log says more.",
  503: "Not at this moment; try again after a while.",
} as const;
type ErrorStatus = keyof typeof errorDescriptions;

type ErrorAnswer = { description: string; content: { "application/json": { schema: typeof errorShape } } };

function errors<S extends ErrorStatus>(statuses: readonly S[]): Record<S, ErrorAnswer> {
  const answer = (status: S): ErrorAnswer => ({
    description: errorDescriptions[status],
    content: { "application/json": { schema: errorShape } },
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

export function bodyOf<T extends z.ZodType>(schema: T) {
  return { content: { "application/json": { schema } }, required: true as const };
}

/** Either of them. */
export const guarded = [{ token: [] }, { session: [] }];

export function idParam(description: string) {
  return z.strictObject({ id: z.string().min(1).max(256).openapi({ description }) });
}

export const laneFilter = z.string().min(1).max(128).optional().openapi({ description: "Only those of this lane." });
