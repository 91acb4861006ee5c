/** The report that `waybill doctor --json` prints and the API returns. */
import { z } from "@hono/zod-openapi";
import type { DoctorReport } from "../../platform/doctor-check.ts";
import { checkStatuses } from "../../platform/doctor-check.ts";

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
