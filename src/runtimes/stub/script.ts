/** What a stub agent does with each prompt. A script is data, so that a test, a demo or a config file can hold it. */
import { z } from "zod";

const ms = z.number().int().nonnegative();

const step = z.union([
  z.strictObject({ say: z.string() }),
  z.strictObject({ think: z.string() }),
  z.strictObject({
    tool: z.string(),
    input: z.record(z.string(), z.unknown()).optional(),
    output: z.string().optional(),
    fails: z.boolean().optional(),
    /** Files that it is said to have changed. Nothing happens on the disk. */
    changes: z
      .array(
        z.strictObject({
          path: z.string(),
          change: z.enum(["added", "modified", "deleted"]).default("modified"),
          diff: z.string().nullable().default(null),
        }),
      )
      .optional(),
    takesMs: ms.optional(),
  }),
  /** A `message_send` that names the message it was given, as a teammate would. */
  z.strictObject({
    reply: z.string(),
    summary: z.string().optional(),
    to: z.string().optional(),
    relay: z.boolean().optional(),
  }),
  z.strictObject({ ask: z.enum(["permission", "question"]), title: z.string().optional() }),
  z.strictObject({ wait: ms }),
  /** What the model's part in the row has used, beyond what it had used before. */
  z.strictObject({ uses: z.strictObject({ tokens: ms.default(0), cost: z.number().nonnegative().default(0) }) }),
  z.strictObject({ error: z.string() }),
  /** The agent program dies: what it had begun stays open, and the session rests. */
  z.strictObject({ crash: z.literal(true) }),
  /** Busy for ever, without any sign of life. */
  z.strictObject({ hang: z.literal(true) }),
  /** The session cannot be used any more. */
  z.strictObject({ stale: z.literal(true) }),
]);

/**
 * How a prompt arrives: `lost` is accepted and never stored, `forgotten` is stored and never run, `after_timeout` is
 * stored and run while its sender waits in vain, `unavailable` is turned away for now, `refused` for good.
 */
const arrival = z.enum(["normal", "lost", "forgotten", "after_timeout", "unavailable", "refused"]);

const turn = z.strictObject({
  /** Only for prompts that contain this. */
  when: z.string().optional(),
  arrival: arrival.optional(),
  steps: z.array(step).default([]),
});

export const stubScriptSchema = z.strictObject({
  /** Each is used once, by the first prompt that it fits. */
  turns: z.array(turn).default([]),
  /** For every other prompt; the first that fits. */
  always: z.array(turn).default([]),
  /** How long a step takes that does not say so. */
  stepMs: ms.default(5),
  /** False: the agent never says that something happened, as when an event stream is down. */
  hints: z.boolean().default(true),
});

export type StubStep = z.output<typeof step>;
export type StubTurn = z.output<typeof turn>;
export type PromptArrival = z.output<typeof arrival>;
export type StubScript = z.output<typeof stubScriptSchema>;
export type StubScriptInput = z.input<typeof stubScriptSchema>;

export function durationOf(step: StubStep, script: StubScript): number {
  if ("wait" in step) return step.wait;
  if ("tool" in step) return step.takesMs ?? script.stepMs;
  return script.stepMs;
}
