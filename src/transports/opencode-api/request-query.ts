/** The query of a request, checked: what is wrong with it is said by the name of its parameter. */
import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Env } from "../http/env.ts";
import { invalidRequest } from "../http/errors.ts";

/** What the schema does not name is left alone: OpenCode's clients send more with every version. */
export function queryOf<T extends z.ZodType>(c: Context<Env>, schema: T): z.output<T> {
  const read = schema.safeParse(c.req.query());
  if (!read.success) throw invalidRequest("query", read.error.issues);
  return read.data;
}
