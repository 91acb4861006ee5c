/** What the routes are made from. */
import type { Clock } from "../../../clock.ts";
import type { Service } from "../../../service/service.ts";
import type { BrowserSessions } from "../browser-sessions.ts";
import type { HttpMetrics } from "../metrics.ts";

export type About = { version: string; runId: string; startedAt: number };

/** A line for the log from a client program. */
export type ClientLog = { level: "debug" | "info" | "warn" | "error"; service: string; message: string };

export type RouteDeps = {
  service: Service;
  clock: Clock;
  sessions: BrowserSessions;
  metrics: HttpMetrics;
  about: About;
  /** What a lane may name as its runtime. */
  runtimeKinds: readonly string[];
  heartbeatMs: number;
  /** For what a client program says about itself. */
  onClientLog: (entry: ClientLog) => void;
  /** For what goes wrong after the answer has begun, or where it must not show. */
  report: (error: unknown, route: string) => void;
};
