/** The body of a request, checked. That it is JSON and not too large was seen at the gate; none at all is an empty one. */
import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Env } from "../http/env.ts";
import { invalidRequest, malformedJson } from "../http/errors.ts";

export async function bodyOf<T extends z.ZodType>(c: Context<Env>, schema: T): Promise<z.output<T>> {
  const text = await c.req.text();
  const read = schema.safeParse(text === "" ? {} : parsed(text));
  if (!read.success) throw invalidRequest("json", read.error.issues);
  return read.data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformedJson();
  }
}
