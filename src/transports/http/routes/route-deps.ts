/** The dependencies of the routes. */
import type { Clock } from "../../../platform/clock.ts";
import type { DoctorReport } from "../../../platform/doctor-check.ts";
import type { Service } from "../../../service/service.ts";
import type { HttpMetrics } from "../metrics.ts";
import type { BrowserSessions } from "../page/browser-sessions.ts";
import type { LoginCodes } from "../page/login-codes.ts";
import type { PageFiles } from "../page/page-files.ts";

/** `demo`: nothing is configured, and the agents are scripted. */
export type About = { version: string; runId: string; startedAt: number; demo: boolean };

/** A line for the log from a client program. */
export type ClientLog = { level: "debug" | "info" | "warn" | "error"; service: string; message: string };

export type RouteDeps = {
  service: Service;
  clock: Clock;
  sessions: BrowserSessions;
  loginCodes: LoginCodes;
  page: PageFiles;
  metrics: HttpMetrics;
  about: About;
  /** The runtimes that a lane may name. */
  runtimeKinds: readonly string[];
  /** Runs the checks of `waybill doctor`. */
  doctor: () => Promise<DoctorReport>;
  heartbeatMs: number;
  /** Receives log lines from client programs. */
  onClientLog: (entry: ClientLog) => void;
  /** For errors after the response has begun, or that the client must not see. */
  report: (error: unknown, route: string) => void;
};
