/** Statistics by lane and day. */

import { z } from "@hono/zod-openapi";
import type { DayStats, Durations, Stats } from "../../../core/stats/day-stats.ts";
import { addStats, keptStatsDays, summaryOf } from "../../../core/stats/day-stats.ts";
import type { StatsReport } from "../../../service/service.ts";
import type { App } from "../env.ts";
import { answerOf, countQuery, guardedRoute, laneFilter, readErrors } from "../route-descriptions.ts";
import { responseSchema } from "../schemas.ts";
import type { RouteDeps } from "./route-deps.ts";

const count = z.int().min(0);
const ms = z.number().min(0);

const daySchema = z.string().openapi({
  description: "A day in the time zone of the daemon's machine.",
  example: "2026-01-31",
});

const durationSchema = responseSchema("Duration", {
  count,
  meanMs: ms,
  p50Ms: ms.describe("An estimate, within 19 %."),
  p95Ms: ms.describe("An estimate, within 19 %."),
  maxMs: ms,
});

const totalsSchema = responseSchema("DayTotals", {
  day: daySchema,
  responded: count.describe("Deliveries answered on this day."),
  failed: count.describe("Deliveries that failed for good, and were neither answered nor retried since."),
  cancelled: count,
  retries: count.describe("Attempts beyond the first, of deliveries that ended on this day."),
  accept: durationSchema
    .nullable()
    .describe("For answered deliveries: from admission until the agent program had the prompt."),
  firstToken: durationSchema.nullable().describe("From admission to the first text, reasoning or tool call."),
  proof: durationSchema.nullable().describe("From admission to the proof that the agent acted on the message."),
  tokens: count.describe("Tokens that agents used on this day."),
  cost: z.number().min(0).describe("In dollars, as the agent programs report it."),
});

const statsSchema = responseSchema("Stats", {
  from: daySchema,
  to: daySchema,
  days: z
    .array(totalsSchema.extend({ lane: z.string() }).openapi("DayStats"))
    .describe("Oldest first, then by lane. Days without activity are left out."),
  totals: z.array(totalsSchema).describe("The sums over these lanes, by day, oldest first."),
});

const days = countQuery({ max: keptStatsDays, standard: 30, description: "How many days, including today." });

export const statsRoutes = {
  stats: guardedRoute("stats", "GET /v1/stats", "stats", {
    summary: "Delivery outcomes, durations and agent usage, by lane and day",
    description: `A delivery counts once, on the day it ended. Statistics are kept for ${keptStatsDays} days, even for removed lanes.`,
    request: { query: z.strictObject({ days, lane: laneFilter }) },
    responses: { 200: answerOf(statsSchema, "The days with any activity."), ...readErrors(404) },
  }),
};

export function addStatistics(app: App, { service }: RouteDeps): void {
  app.openapi(statsRoutes.stats, async (c) => c.json(statsView(await service.stats(c.req.valid("query"))), 200));
}

function statsView({ from, to, days: all }: StatsReport): z.output<typeof statsSchema> {
  const byDay = new Map<string, Stats>();
  for (const stats of all) {
    const sum = byDay.get(stats.day);
    byDay.set(stats.day, sum ? addStats(sum, stats) : stats);
  }
  return statsSchema.parse({
    from,
    to,
    days: all.map((stats: DayStats) => ({ ...shown(stats), day: stats.day, lane: stats.laneId })),
    totals: [...byDay].map(([day, stats]) => ({ ...shown(stats), day })),
  });
}

function shown(stats: Stats) {
  const summary = (durations: Durations | null) => durations && summaryOf(durations);
  const { accept, firstToken, proof } = stats;
  return { ...stats, accept: summary(accept), firstToken: summary(firstToken), proof: summary(proof) };
}
