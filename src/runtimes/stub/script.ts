/** The script of a stub agent: what it does with each prompt, as data for tests, demos and configuration files. */
import { z } from "zod";

const ms = z.number().int().nonnegative();

const question = z.strictObject({
  header: z.string().nullable().default(null),
  question: z.string(),
  options: z.array(z.strictObject({ label: z.string(), description: z.string().nullable().default(null) })).default([]),
  multiple: z.boolean().default(false),
});

const step = z.union([
  z.strictObject({ say: z.string() }),
  /** Says this, followed by the last line of the prompt. */
  z.strictObject({ echo: z.string() }),
  z.strictObject({ think: z.string() }),
  z.strictObject({
    tool: z.string(),
    input: z.record(z.string(), z.unknown()).optional(),
    output: z.string().optional(),
    fails: z.boolean().optional(),
    /** For a shell command. */
    exitCode: z.number().int().optional(),
    timesOut: z.boolean().optional(),
    /** Files that the tool reports as changed. Nothing changes on disk. */
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
    /** Instead: takes until this gate is open. */
    until: z.string().optional(),
    /** Shows the call while it runs. Otherwise it appears only when it is over. */
    showsRunning: z.boolean().optional(),
  }),
  /** A `message_send` that names the prompt's message, as a teammate would send it. */
  z.strictObject({
    reply: z.string(),
    summary: z.string().optional(),
    to: z.string().optional(),
    relay: z.boolean().optional(),
    /** The outcome that the agent claims. Any word is allowed. */
    outcome: z.string().optional(),
    /** Claims that it was sent, but sends nothing. */
    pretends: z.boolean().optional(),
  }),
  z.strictObject({
    ask: z.enum(["permission", "question"]),
    title: z.string().optional(),
    /** For a permission: what the tool wants to do. */
    detail: z.unknown().optional(),
    /** For a question, instead of the title. */
    questions: z.array(question).optional(),
  }),
  z.strictObject({ wait: ms }),
  /** Waits for a gate: until a file of this name is in the directory `gates` beside the journal. */
  z.strictObject({ until: z.string() }),
  /** Adds to the usage of the row. */
  z.strictObject({ uses: z.strictObject({ tokens: ms.default(0), cost: z.number().nonnegative().default(0) }) }),
  z.strictObject({ error: z.string(), status: z.number().int().optional() }),
  /** The agent program dies: its row stays open, and the session is idle. */
  z.strictObject({ crash: z.literal(true) }),
  /** Busy forever, without activity. */
  z.strictObject({ hang: z.literal(true) }),
  /** The session becomes unusable. */
  z.strictObject({ stale: z.literal(true) }),
]);

/**
 * How a prompt arrives: `lost` is accepted but never stored, `forgotten` is stored but never run, `after_timeout` is
 * stored and run while its sender times out, `unavailable` is rejected for now, `refused` is rejected for good.
 */
const arrival = z.enum(["normal", "lost", "forgotten", "after_timeout", "unavailable", "refused"]);

const turn = z.strictObject({
  /** Only for prompts that contain this text. */
  when: z.string().optional(),
  arrival: arrival.optional(),
  steps: z.array(step).default([]),
});

export const stubScriptSchema = z.strictObject({
  /** Each turn is used once, by the first prompt that matches. */
  turns: z.array(turn).default([]),
  /** For every other prompt, the first turn that matches. */
  always: z.array(turn).default([]),
  /** The default duration of a step. */
  stepMs: ms.default(5),
  /** False: the agent sends no hints, as when an event stream is down. */
  hints: z.boolean().default(true),
});

export type StubStep = z.output<typeof step>;
export type StubTurn = z.output<typeof turn>;
export type Arrival = z.output<typeof arrival>;
export type StubScript = z.output<typeof stubScriptSchema>;
export type StubScriptInput = z.input<typeof stubScriptSchema>;
