/** The schemas of daily statistics. */
import { z } from "@hono/zod-openapi";

const count = z.int().min(0);
const ms = z.number().min(0);

const daySchema = z.string().openapi({
  description: "A day in the time zone of the daemon's machine.",
  example: "2026-01-31",
});

const durationSchema = z
  .object({
    count,
    meanMs: ms,
    p50Ms: ms.openapi({ description: "An estimate, within 19 %." }),
    p95Ms: ms.openapi({ description: "An estimate, within 19 %." }),
    maxMs: ms,
  })
  .openapi("Duration");

const totalsSchema = z
  .object({
    day: daySchema,
    responded: count.openapi({ description: "Deliveries answered on this day." }),
    failed: count.openapi({
      description: "Deliveries that failed for good, and were neither answered nor retried since.",
    }),
    cancelled: count,
    retries: count.openapi({ description: "Attempts beyond the first, of deliveries that ended on this day." }),
    accept: durationSchema.nullable().openapi({
      description: "For answered deliveries: from admission until the agent program had the prompt.",
    }),
    firstToken: durationSchema.nullable().openapi({
      description: "From admission to the first text, reasoning or tool call.",
    }),
    proof: durationSchema.nullable().openapi({
      description: "From admission to the proof that the agent acted on the message.",
    }),
    tokens: count.openapi({ description: "Tokens that agents used on this day." }),
    cost: z.number().min(0).openapi({ description: "In dollars, as the agent programs report it." }),
  })
  .openapi("DayTotals");

export const statsSchema = z
  .object({
    from: daySchema,
    to: daySchema,
    days: z
      .array(totalsSchema.extend({ lane: z.string() }).openapi("DayStats"))
      .openapi({ description: "Oldest first, then by lane. Days without activity are left out." }),
    totals: z.array(totalsSchema).openapi({ description: "The sums over these lanes, by day, oldest first." }),
  })
  .openapi("Stats");
