/** A Bot API method: a schema for its parameters, and its implementation. */
import { z } from "zod";
import { badRequest } from "../bot-api-error.ts";
import type { World } from "../state/world.ts";

export type UploadedFile = { name: string; bytes: Buffer };

export type MethodCall = {
  world: World;
  params: Record<string, unknown>;
  files: ReadonlyMap<string, UploadedFile>;
  /** Aborted when the caller disconnects. */
  closed: AbortSignal;
};
export type Method = (call: MethodCall) => unknown;

export function method<Shape extends z.ZodRawShape>(
  shape: Shape,
  run: (world: World, args: z.output<z.ZodObject<Shape>>, call: MethodCall) => unknown,
): Method {
  const schema = z.object(shape);
  return (call) => {
    const parsed = schema.safeParse(call.params);
    if (!parsed.success) throw refusal(parsed.error);
    return run(call.world, parsed.data, call);
  };
}

function refusal(error: z.ZodError): Error {
  const issue = error.issues[0];
  const name = String(issue?.path[0] ?? "request");
  if (name === "chat_id") return badRequest("chat_id is empty");
  return badRequest(`wrong parameter ${issue?.path.join(".")} in request: ${issue?.message}`);
}

// Forms carry only text, so every kind of parameter also accepts its text form.
const parsedText = (value: unknown) => {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};
const isTrue = new Set<unknown>([true, "true", "True", "1", 1, "yes", "y", "t"]);

export const text = z.preprocess((value) => (typeof value === "number" ? String(value) : value), z.string());
export const integer = z.preprocess(parsedText, z.number().int());
export const flag = z.preprocess((value) => isTrue.has(value), z.boolean());
export const json = <Schema extends z.ZodType>(schema: Schema) => z.preprocess(parsedText, schema);
export const chatId = z.union([z.number().int(), z.string().min(1)]);
