/**
 * The script of a scripted model. It is plain data, so that a test, a demo or a config file can hold it.
 * A rule handles a turn, which is several calls of the model; each of its steps answers one call.
 */
import { z } from "zod";
import { knownErrors } from "./known-errors.ts";

const ms = z.number().int().nonnegative();
const count = z.number().int().nonnegative();

/** Text that must occur, or `/a pattern/flags`, whose groups can be used as `{{1}}`, `{{2}}`, … */
const when = z.string().refine((text) => isValidPattern(text), { error: "Invalid regular expression." });

const toolCall = z.strictObject({
  /** A name from the request's list of tools, or the end of one. */
  tool: z.string().min(1),
  /** Strings in it are also templates. */
  input: z.record(z.string(), z.unknown()).default({}),
});

const httpError = z.union([
  z.enum(Object.keys(knownErrors) as [keyof typeof knownErrors]),
  z.strictObject({
    status: z.number().int().min(400).max(599),
    message: z.string(),
    /** OpenAI's `code`; derived from the status by default. */
    code: z.string().optional(),
    type: z.string().optional(),
    retryAfterS: z.number().nonnegative().optional(),
    /** Replaces the usual body. A string is sent unchanged, like the error page of a proxy. */
    body: z.unknown().optional(),
  }),
]);

/**
 * The answer to one call: reasoning, text and tool calls, in this order. An empty one is a turn that ends without an
 * answer. Texts are templates: `{{text}}` is the user's newest text, `{{result}}` the newest result of a tool.
 */
export const modelStepSchema = z.strictObject({
  think: z.string().optional(),
  say: z.string().optional(),
  tools: z.array(toolCall).default([]),
  /** Before the first byte. */
  waitMs: ms.default(0),
  /** Between two pieces of a stream. */
  pieceMs: ms.optional(),
  pieceLength: z.number().int().positive().optional(),
  /** Sent instead of an answer. */
  error: httpError.optional(),
  /**
   * After this many pieces the connection is cut, the stream ends with an error, or it hangs until the caller gives up.
   */
  breaks: z
    .strictObject({
      how: z.enum(["cut", "error", "hang"]),
      afterPieces: count.default(0),
      message: z.string().optional(),
    })
    .optional(),
  /** The finish reason; `stop` or `tool_calls` by default. */
  finish: z.enum(["stop", "length"]).optional(),
  /** Tokens, instead of an estimate; `cached` is the part of the input that was read from a cache. */
  usage: z.strictObject({ input: count, output: count, cached: count.optional() }).optional(),
  /** Answers one call and is skipped from then on, such as an error that a retry overcomes. */
  once: z.boolean().default(false),
});

export const modelScriptSchema = z.strictObject({
  /** The first rule that matches the user's newest text handles the turn. */
  rules: z
    .array(
      z.strictObject({
        /** Without it, any text matches. */
        when: when.optional(),
        /** For one turn only. A retry of the first call counts as another turn. */
        once: z.boolean().default(false),
        /** A call after the last one gets an empty answer. */
        steps: z.array(modelStepSchema).default([]),
      }),
    )
    .default([]),
  /** Used if no rule matches. */
  otherwise: z
    .array(modelStepSchema)
    .default([modelStepSchema.parse({ say: "This model is scripted, and its script has nothing for this." })]),
  /** Answers a request to name the conversation. */
  title: modelStepSchema.default(modelStepSchema.parse({ say: "Scripted conversation" })),
  /** Answers other requests without tools, such as summaries; `when` also matches their system prompt. */
  small: z.array(z.strictObject({ when: when.optional(), step: modelStepSchema })).default([]),
  pieceMs: ms.default(0),
  pieceLength: z.number().int().positive().default(16),
});

export type ModelScript = z.output<typeof modelScriptSchema>;
export type ModelScriptInput = z.input<typeof modelScriptSchema>;
export type ModelStep = z.output<typeof modelStepSchema>;
export type HttpError = Exclude<z.output<typeof httpError>, string>;

/** The groups, for templates; null if it does not match. */
export function matchPattern(pattern: string | undefined, text: string): string[] | null {
  if (pattern === undefined) return [];
  const expression = patternRegExp(pattern);
  if (expression === null) return text.includes(pattern) ? [pattern] : null;
  return expression.exec(text)?.map((group) => group ?? "") ?? null;
}

function patternRegExp(pattern: string): RegExp | null {
  const [, source, flags] = /^\/(.+)\/([imsu]*)$/s.exec(pattern) ?? [];
  return source === undefined ? null : new RegExp(source, flags);
}

function isValidPattern(pattern: string): boolean {
  try {
    patternRegExp(pattern);
    return true;
  } catch {
    return false;
  }
}

/** Why a script or a request was refused, in one line. */
export function describeError(error: unknown): string {
  if (!(error instanceof z.ZodError)) return error instanceof Error ? error.message : String(error);
  return error.issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": ")).join("; ");
}
