/** What a worker tells its supervisor: exit codes, and one message when it is ready. */

export const workerExit = {
  /** Stopped as requested. */
  ended: 0,
  /** Wants to be restarted without delay. */
  restart: 75,
  /** Did not start. It has printed the reason, and a person has to fix it. */
  refused: 78,
} as const;

export type WorkerReady = {
  type: "ready";
  url: string;
  port: number;
  /** The address that serves OpenCode's API at its root, if any. */
  opencodeApiUrl: string | null;
  runId: string;
  /** How long it may drain when it is asked to stop. */
  drainMs: number;
};

/** Validated by hand: the supervisor stays small without a schema library. */
export function isWorkerReady(message: unknown): message is WorkerReady {
  const { type, url, port, opencodeApiUrl, runId, drainMs } = Object(message) as Record<string, unknown>;
  return (
    type === "ready" &&
    typeof url === "string" &&
    Number.isInteger(port) &&
    (opencodeApiUrl === null || typeof opencodeApiUrl === "string") &&
    typeof runId === "string" &&
    typeof drainMs === "number" &&
    drainMs >= 0
  );
}
