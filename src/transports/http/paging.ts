/** Lists that come in pages: what may be asked of one, how its answer is described, and the answer itself. */
import { z } from "@hono/zod-openapi";
import { answerOf, laneFilter, readErrors } from "./route-descriptions.ts";

export const limit = z
  .string()
  .regex(/^\d{1,3}$/, "must be a number from 1 to 200")
  .default("50")
  .transform(Number)
  .pipe(z.number().min(1, "must be at least 1").max(200, "must not be more than 200"))
  .openapi({ type: "integer", minimum: 1, maximum: 200, default: 50, description: "How many at most." });

export const cursor = z
  .string()
  .min(1)
  .max(256)
  .optional()
  .openapi({ description: "`nextCursor` of the page before; opaque. None for the first page." });

export const nextCursor = z
  .string()
  .optional()
  .openapi({ description: "Where the next page begins, if there is one." });

/** Every list can be narrowed to a lane; `filter` is what else this one can be narrowed to. */
export function pageQuery<F extends z.ZodRawShape>(filter: F) {
  return z.strictObject({ lane: laneFilter, ...filter, limit, cursor });
}

/** `items` is the one field that holds them; `name` is the page's in the API's document. */
export function pageAnswers<I extends z.ZodRawShape>(name: string, items: I) {
  return { 200: answerOf(z.object({ ...items, nextCursor }).openapi(name), "A page of them."), ...readErrors(404) };
}

/** A service's page, as its answer's last field. */
export function nextOf(page: { next: string | null }): { nextCursor?: string } {
  return page.next === null ? {} : { nextCursor: page.next };
}
