/** What a worker tells its supervisor: exit codes, and one message when it is ready. */
import { z } from "zod";

export const workerExit = {
  /** Ended as requested. */
  ended: 0,
  /** Wants to be restarted without delay. */
  restart: 75,
  /** Did not start, for a reason that it has printed and that a person has to fix. */
  refused: 78,
} as const;

export const workerReady = z.object({
  type: z.literal("ready"),
  url: z.string(),
  port: z.number().int(),
  runId: z.string(),
  /** How long it may drain when it is asked to stop. */
  drainMs: z.number().nonnegative(),
});

export type WorkerReady = z.output<typeof workerReady>;
