/** The schema of the configuration file, made from the tables of settings. Unknown keys are refused at every depth. */
import { z } from "zod";
import { deliverySettings, retentionSettings } from "./delivery-settings.ts";
import { slug } from "./kinds.ts";
import { laneSettings, memberSettings, teamSettings } from "./lane-settings.ts";
import type { Setting } from "./settings.ts";
import { settings } from "./settings.ts";

type SchemaOf<S> = S extends { kind: { schema: infer Z extends z.ZodType } } ? Z : never;
type Shape<Table> = { [K in keyof Table]: z.ZodOptional<SchemaOf<Table[K]>> };

function optional<Table extends Record<string, Setting>>(table: Table): Shape<Table> {
  const entries = Object.entries(table).map(([key, { kind }]) => [key, kind.schema.optional()]);
  return Object.fromEntries(entries) as Shape<Table>;
}

const lane = z.strictObject({
  ...optional(laneSettings),
  id: laneSettings.id.kind.schema,
  directory: laneSettings.directory.kind.schema,
});

const team = z.strictObject({
  ...optional(teamSettings),
  members: z.record(slug.schema, z.strictObject({ lane: memberSettings.lane.kind.schema })),
});

export const fileSchema = z.strictObject({
  ...optional(settings),
  delivery: z
    .strictObject({
      ...optional(deliverySettings),
      retention: z.strictObject(optional(retentionSettings)).optional(),
    })
    .optional(),
  lanes: z.array(lane).optional(),
  teams: z.record(slug.schema, team).optional(),
});

export type ConfigFile = z.output<typeof fileSchema>;
export type FileLane = z.output<typeof lane>;
