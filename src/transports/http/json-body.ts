/**
 * Reads the body of a request before any route sees it: JSON only, within a size and a time limit. When a body is
 * rejected, the server drains the rest of it for a moment so that the response gets through.
 */
import type { Context, MiddlewareHandler } from "hono";
import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import { TimedOut, withTimeout } from "../../platform/clock.ts";
import type { Env } from "./env.ts";
import { malformedJson, wrongMediaType } from "./errors.ts";

/** `bytes` may depend on the path. */
export type BodyLimits = { bytes: (path: string) => number; ms: number };

const bodiless = ["GET", "HEAD", "OPTIONS", "TRACE"];

export function jsonBody(limits: BodyLimits, clock: Clock): MiddlewareHandler<Env> {
  return async (c, next) => {
    if (!bodiless.includes(c.req.method)) await takeBody(c, { bytes: limits.bytes(c.req.path), ms: limits.ms }, clock);
    await next();
  };
}

type Limits = { bytes: number; ms: number };

async function takeBody(c: Context<Env>, limits: Limits, clock: Clock): Promise<void> {
  if (Number(c.req.header("content-length") ?? 0) > limits.bytes) throw tooLarge(limits.bytes);
  const bytes = await readBody(c.req.raw, limits, clock);
  if (bytes.length > 0 && !isPlainJson(c)) throw wrongMediaType();
  const { url, method, signal } = c.req.raw;
  const headers = new Headers([...c.req.raw.headers]);
  // An empty body has no type, whatever its header says; a route that needs a body reports the missing field.
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

async function readBody({ body }: Request, { bytes, ms }: Limits, clock: Clock): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  try {
    const closing = new AbortController().signal;
    return await withTimeout({ clock, closing }, ms, (signal) => readAll(body, bytes, signal));
  } catch (error) {
    throw error instanceof TimedOut ? tooSlow(ms) : error;
  }
}

async function readAll(body: ReadableStream<Uint8Array>, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bodyChunks(body)) {
    if (signal.aborted) break;
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Does not cancel the body when reading stops early: that would close the connection before the response. */
export async function* bodyChunks(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  while (reader) {
    const { done, value } = await reader.read().catch(clientGone);
    if (done) return;
    yield value;
  }
}

function clientGone(): never {
  throw new AppError({ code: "malformed_request", message: "The request ended before its body did." });
}

function tooLarge(bytes: number): AppError {
  return new AppError({
    code: "too_large",
    message: `The body is larger than ${bytes} bytes.`,
    hint: "Put long content in a file that the agent can read, and name the file in the text.",
  });
}

function tooSlow(ms: number): AppError {
  return new AppError({
    code: "request_timeout",
    message: `The body did not arrive within ${Math.ceil(ms / 1000)} s.`,
    hint: "Send it again.",
  });
}
