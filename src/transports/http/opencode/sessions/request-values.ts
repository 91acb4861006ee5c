/** What a request says, checked. What is wrong with it is said as OpenCode does: the fault, and where it is. */
import type { Context } from "hono";
import type { z } from "zod";
import { AppError } from "../../../../app-error.ts";
import type { Env } from "../../env.ts";
import { malformedJson } from "../../errors.ts";

/** A body that is left out stands for an empty object: some clients send none where nothing is required. */
export async function bodyIn<T extends z.ZodType>(c: Context<Env>, shape: T): Promise<z.output<T>> {
  return checked(shape, jsonOf(await c.req.text()));
}

export function queryIn<T extends z.ZodType>(c: Context<Env>, shape: T): z.output<T> {
  return checked(shape, c.req.query());
}

/** Where the client wants to be, if it says so: in the query, or encoded in a header. */
export function directoryIn(c: Context<Env>): string | undefined {
  const header = c.req.header("x-opencode-directory");
  return c.req.query("directory") || (header === undefined ? undefined : decoded(header)) || undefined;
}

function checked<T extends z.ZodType>(shape: T, value: unknown): z.output<T> {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.map((step) => `[${JSON.stringify(step)}]`).join("") ?? "";
  const what = (issue?.message ?? "Not valid").replaceAll(/\s+/g, " ").slice(0, 300);
  throw new AppError({ code: "invalid_request", message: where === "" ? what : `${what}\n  at ${where}` });
}

function jsonOf(text: string): unknown {
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    throw malformedJson();
  }
}

function decoded(header: string): string {
  try {
    return decodeURIComponent(header);
  } catch {
    return header;
  }
}
