/**
 * What a scripted model answers. A script is data, so that a test, a demo or a config file can hold it.
 * A rule is for a turn, which is several calls of the model; each of its steps answers one call.
 */
import { z } from "zod";
import { knownErrors } from "./known-errors.ts";

const ms = z.number().int().nonnegative();
const count = z.number().int().nonnegative();

/** Text that must occur, or `/a pattern/flags`, whose groups can be used as `{{1}}`, `{{2}}`, … */
const when = z.string().refine((text) => isPatternInOrder(text), { error: "This is no regular expression." });

const toolCall = z.strictObject({
  /** As in the request's list of tools, or how a name in it ends. */
  tool: z.string().min(1),
  /** Texts in it are templates too. */
  input: z.record(z.string(), z.unknown()).default({}),
});

const httpError = z.union([
  z.enum(Object.keys(knownErrors) as [keyof typeof knownErrors]),
  z.strictObject({
    status: z.number().int().min(400).max(599),
    message: z.string(),
    /** OpenAI's `code`; where there is none the status speaks. */
    code: z.string().optional(),
    type: z.string().optional(),
    retryAfterS: z.number().nonnegative().optional(),
    /** Instead of the usual body: a text is sent as it is, as by a proxy in between. */
    body: z.unknown().optional(),
  }),
]);

/**
 * One call's answer: what it thinks, says and wants done, in this order. An empty one is a turn that ends without a
 * word. Texts are templates: `{{text}}` is the user's newest text, `{{result}}` the newest result of a tool.
 */
export const stepSchema = z.strictObject({
  think: z.string().optional(),
  say: z.string().optional(),
  tools: z.array(toolCall).default([]),
  /** Before the first byte. */
  waitMs: ms.default(0),
  /** Between two pieces of a stream. */
  pieceMs: ms.optional(),
  pieceLength: z.number().int().positive().optional(),
  /** Instead of an answer. */
  error: httpError.optional(),
  /**
   * What happens after so many pieces of the answer: the connection is cut, the stream carries an error and ends, or
   * nothing comes any more until the caller gives up.
   */
  breaks: z
    .strictObject({
      how: z.enum(["cut", "error", "hang"]),
      afterPieces: count.default(0),
      message: z.string().optional(),
    })
    .optional(),
  /** Said to be the reason of the end; `stop` or `tool_calls` by itself. */
  finish: z.enum(["stop", "length"]).optional(),
  /** Tokens, where an estimate will not do; `cached` are those of the input that were read from a cache. */
  usage: z.strictObject({ input: count, output: count, cached: count.optional() }).optional(),
  /** Answers one call in all, and is passed over from then on: an error that a caller's own retry gets over. */
  once: z.boolean().default(false),
});

export const scriptSchema = z.strictObject({
  /** The first that fits the user's newest text is for the turn. */
  rules: z
    .array(
      z.strictObject({
        /** Without it, any text fits. */
        when: when.optional(),
        /** For one turn in all. A caller's own retry of the first call counts as another. */
        once: z.boolean().default(false),
        /** A call after the last one gets an empty answer. */
        steps: z.array(stepSchema).default([]),
      }),
    )
    .default([]),
  /** Where no rule fits. */
  otherwise: z
    .array(stepSchema)
    .default([stepSchema.parse({ say: "This model is scripted, and its script has nothing for this." })]),
  /** For a request to name the conversation. */
  title: stepSchema.default(stepSchema.parse({ say: "Scripted conversation" })),
  /** For other requests without tools, such as summaries; `when` is also looked for in their system prompt. */
  small: z.array(z.strictObject({ when: when.optional(), step: stepSchema })).default([]),
  pieceMs: ms.default(0),
  pieceLength: z.number().int().positive().default(16),
});

export type Script = z.output<typeof scriptSchema>;
export type ScriptInput = z.input<typeof scriptSchema>;
export type Step = z.output<typeof stepSchema>;
export type HttpError = Exclude<z.output<typeof httpError>, string>;

/** What matched, for templates; null where it does not fit. */
export function matchOf(pattern: string | undefined, text: string): string[] | null {
  if (pattern === undefined) return [];
  const expression = expressionOf(pattern);
  if (expression === null) return text.includes(pattern) ? [pattern] : null;
  return expression.exec(text)?.map((group) => group ?? "") ?? null;
}

function expressionOf(pattern: string): RegExp | null {
  const [, source, flags] = /^\/(.+)\/([imsu]*)$/s.exec(pattern) ?? [];
  return source === undefined ? null : new RegExp(source, flags);
}

function isPatternInOrder(pattern: string): boolean {
  try {
    expressionOf(pattern);
    return true;
  } catch {
    return false;
  }
}
