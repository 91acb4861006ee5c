/** Waybill itself, the agent programs, and the directories where they may work, in the OpenAPI document. */

import { z } from "@hono/zod-openapi";
import type { DoctorReport } from "../../platform/doctor-check.ts";
import { checkStatuses } from "../../platform/doctor-check.ts";
import { nullableString, nullableTime, responseSchema, timeSchema } from "./schemas.ts";

const programSchema = responseSchema("RunningProgram", {
  pid: z.int().nullable().describe("Null for a program that Waybill did not start."),
  lane: nullableString.describe("Null for a server that serves all lanes."),
  sessionId: nullableString,
  directory: nullableString.describe("Null for a server that serves all directories."),
  version: nullableString.describe("If the program reports it."),
  startedAt: nullableTime,
  restarts: z.int().describe("How often it failed and was restarted since Waybill started."),
  events: z
    .enum(["connected", "reconnecting", "none"])
    .describe("Whether its events arrive live. `none`: a program from an earlier run, which ends soon."),
});

export const runtimeSchema = responseSchema("Runtime", {
  kind: z.string(),
  ready: z.boolean().describe("Whether it can be started on this machine. If not, messages to its lanes wait."),
  isDefault: z.boolean().describe("Whether new lanes use it by default."),
  models: z.array(z.string()).describe("Models named by lanes, by the configuration, or by the program."),
  takesSystem: z.boolean().describe("Whether a message may add to the system instructions."),
  reason: nullableString.describe("Why its lanes cannot work; null when they can, or when it has no lanes."),
  programs: z.array(programSchema).describe("The running processes. Listing them starts nothing."),
});

export const directoryListSchema = responseSchema("DirectoryList", {
  path: nullableString.describe("With symlinks resolved; null when listing the allowed directories."),
  parent: nullableString.describe("The parent directory, if lanes may work there."),
  roots: z.array(z.string()).describe("The allowed directories."),
  directories: z.array(z.object({ name: z.string(), path: z.string(), isRepository: z.boolean() })),
  truncated: z.boolean().describe("Whether more than 500 exist, and the rest was left out."),
});

/** The report that `waybill doctor --json` prints and the API returns. */
export const doctorSchema = responseSchema("DoctorReport", {
  checks: z.array(
    z
      .object({
        name: z.string().openapi({ example: "store" }),
        status: z.enum(checkStatuses),
        detail: z.string(),
        fix: z.string().optional().describe("How to fix it. Present unless the status is `ok`."),
      })
      .openapi("DoctorCheck"),
  ),
}) satisfies z.ZodType<DoctorReport>;

export const readySchema = responseSchema("Readiness", {
  ready: z.boolean(),
  degraded: z.boolean(),
  reasons: z.array(z.string()),
});

export const versionSchema = responseSchema("Version", {
  name: z.literal("waybill"),
  version: z.string(),
  api: z.literal(1),
  runId: z.string(),
  startedAt: timeSchema,
  demo: z.boolean().describe("True when nothing is configured and the agents are scripted."),
});

export const loginSchema = responseSchema("LoginCode", {
  code: z.string().describe("For `GET /login?code=…`. Works once."),
  expiresAt: timeSchema,
});
