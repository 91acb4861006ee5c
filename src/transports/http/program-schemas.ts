/** Waybill itself, the agent programs, and the directories where they may work, in the OpenAPI document. */
import { z } from "@hono/zod-openapi";
import type { DoctorReport } from "../../platform/doctor-check.ts";
import { checkStatuses } from "../../platform/doctor-check.ts";
import { nullableString, nullableTime, timeSchema } from "./schemas.ts";

const programSchema = z
  .object({
    pid: z.number().int().nullable().openapi({ description: "Null for a program that Waybill did not start." }),
    lane: nullableString.openapi({ description: "Null for a server that serves all lanes." }),
    sessionId: nullableString,
    directory: nullableString.openapi({ description: "Null for a server that serves all directories." }),
    version: nullableString.openapi({ description: "If the program reports it." }),
    startedAt: nullableTime,
    restarts: z.number().int().openapi({ description: "How often it failed and was restarted since Waybill started." }),
    events: z.enum(["connected", "reconnecting", "none"]).openapi({
      description: "Whether its events arrive live. `none`: a program from an earlier run, which ends soon.",
    }),
  })
  .openapi("RunningProgram");

export const runtimeSchema = z
  .object({
    kind: z.string(),
    ready: z
      .boolean()
      .openapi({ description: "Whether it can be started on this machine. If not, messages to its lanes wait." }),
    isDefault: z.boolean().openapi({ description: "Whether new lanes use it by default." }),
    models: z
      .array(z.string())
      .openapi({ description: "Models named by lanes, by the configuration, or by the program." }),
    takesSystem: z.boolean().openapi({ description: "Whether a message may add to the system instructions." }),
    reason: nullableString.openapi({
      description: "Why its lanes cannot work; null when they can, or when it has no lanes.",
    }),
    programs: z.array(programSchema).openapi({ description: "The running processes. Listing them starts nothing." }),
  })
  .openapi("Runtime");

export const directoryListSchema = z
  .object({
    path: nullableString.openapi({ description: "With symlinks resolved; null when listing the allowed directories." }),
    parent: nullableString.openapi({ description: "The parent directory, if lanes may work there." }),
    roots: z.array(z.string()).openapi({ description: "The allowed directories." }),
    directories: z.array(z.object({ name: z.string(), path: z.string(), isRepository: z.boolean() })),
    truncated: z.boolean().openapi({ description: "Whether more than 500 exist, and the rest was left out." }),
  })
  .openapi("DirectoryList");

/** The report that `waybill doctor --json` prints and the API returns. */
export const doctorSchema = z
  .object({
    checks: z.array(
      z
        .object({
          name: z.string().openapi({ example: "store" }),
          status: z.enum(checkStatuses),
          detail: z.string(),
          fix: z.string().optional().openapi({ description: "How to fix it. Present unless the status is `ok`." }),
        })
        .openapi("DoctorCheck"),
    ),
  })
  .openapi("DoctorReport") satisfies z.ZodType<DoctorReport>;

export const readySchema = z
  .object({ ready: z.boolean(), degraded: z.boolean(), reasons: z.array(z.string()) })
  .openapi("Readiness");

export const versionSchema = z
  .object({
    name: z.literal("waybill"),
    version: z.string(),
    api: z.literal(1),
    runId: z.string(),
    startedAt: timeSchema,
    demo: z.boolean().openapi({ description: "True when nothing is configured and the agents are scripted." }),
  })
  .openapi("Version");

export const loginSchema = z
  .object({ code: z.string().openapi({ description: "For `GET /login?code=…`. Works once." }), expiresAt: timeSchema })
  .openapi("LoginCode");
