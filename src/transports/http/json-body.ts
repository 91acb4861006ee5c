/**
 * Reads the body of a request once, before any route sees it: JSON only, not larger and not slower than allowed.
 * A body that is cut off is left to the server, which drains it for a moment so that the answer gets through.
 */
import type { Context, MiddlewareHandler } from "hono";
import { AppError } from "../../app-error.ts";
import type { Clock } from "../../clock.ts";
import type { Env } from "./env.ts";
import { malformedJson, wrongMediaType } from "./errors.ts";

export type BodyLimits = { bytes: number; ms: number };

const bodiless = ["GET", "HEAD", "OPTIONS", "TRACE"];

export function jsonBody(limits: BodyLimits, clock: Clock): MiddlewareHandler<Env> {
  return async (c, next) => {
    if (!bodiless.includes(c.req.method)) await takeBody(c, limits, clock);
    await next();
  };
}

async function takeBody(c: Context<Env>, limits: BodyLimits, clock: Clock): Promise<void> {
  if (Number(c.req.header("content-length") ?? 0) > limits.bytes) throw tooLarge(limits.bytes);
  const bytes = await readBody(c.req.raw, limits, clock);
  if (bytes.length > 0 && !isPlainJson(c)) throw wrongMediaType();
  const { url, method, signal } = c.req.raw;
  const headers = new Headers([...c.req.raw.headers]);
  // What has no body is of no type, whatever its header says; a route that needs one says which field is missing.
  if (bytes.length === 0) headers.delete("content-type");
  c.req.raw = new Request(url, { method, headers, signal, body: bytes.length === 0 ? null : decode(bytes) });
}

function isPlainJson(c: Context<Env>): boolean {
  const [type = ""] = (c.req.header("content-type") ?? "").split(";");
  const encoding = c.req.header("content-encoding") ?? "identity";
  return type.trim().toLowerCase() === "application/json" && encoding.toLowerCase() === "identity";
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw malformedJson();
  }
}

async function readBody(request: Request, { bytes, ms }: BodyLimits, clock: Clock): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array();
  const reader = request.body.getReader();
  let stopWaiting = () => {};
  const timeUp = new Promise<never>((_, reject) => {
    stopWaiting = clock.at(clock.now() + ms, () => reject(tooSlow(ms)));
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    while (true) {
      // Not cancelled when the time is up or the size exceeded: that would cut the connection before the answer.
      const { done, value } = await Promise.race([reader.read().catch(goneAway), timeUp]);
      if (done) return Buffer.concat(chunks);
      size += value.length;
      if (size > bytes) throw tooLarge(bytes);
      chunks.push(value);
    }
  } finally {
    stopWaiting();
  }
}

function goneAway(): never {
  throw new AppError({ code: "malformed_request", message: "The request ended before its body did." });
}

function tooLarge(bytes: number): AppError {
  return new AppError({
    code: "too_large",
    message: `The body is larger than ${bytes} bytes.`,
    hint: "Send long material as a file that the agent can read, and name it in the text.",
  });
}

function tooSlow(ms: number): AppError {
  return new AppError({
    code: "request_timeout",
    message: `The body did not arrive within ${Math.ceil(ms / 1000)} s.`,
    hint: "Send it again.",
  });
}
