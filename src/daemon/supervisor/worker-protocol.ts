/** What a worker and its supervisor say to each other: exit codes, and one message when the worker is ready. */
import { z } from "zod";

export const workerExit = {
  /** Ended as it was asked to. */
  ended: 0,
  /** Wants to be started afresh, at once. */
  restart: 75,
  /** Did not start, for a reason that a person has to see to and that it has printed. */
  refused: 78,
} as const;

export const workerReady = z.object({
  type: z.literal("ready"),
  url: z.string(),
  port: z.number().int(),
  runId: z.string(),
  /** How long it may take to drain when it is asked to stop. */
  drainMs: z.number().nonnegative(),
});

export type WorkerReady = z.output<typeof workerReady>;
