/** Paged lists: their query parameters, the description of the response, and its `nextCursor`. */
import { z } from "@hono/zod-openapi";
import { answerOf, laneFilter, readErrors } from "./route-descriptions.ts";

export const limit = z
  .string()
  .regex(/^\d{1,3}$/, "must be a number from 1 to 200")
  .default("50")
  .transform(Number)
  .pipe(z.number().min(1, "must be at least 1").max(200, "must not be more than 200"))
  .openapi({ type: "integer", minimum: 1, maximum: 200, default: 50, description: "The maximum number of results." });

export const cursor = z
  .string()
  .min(1)
  .max(256)
  .optional()
  .openapi({ description: "`nextCursor` of the previous page; opaque. Omit it for the first page." });

export const nextCursor = z
  .string()
  .optional()
  .openapi({ description: "The cursor of the next page. Absent on the last page." });

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
