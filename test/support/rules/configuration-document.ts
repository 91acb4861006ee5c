/** The tables of docs/configuration.md, generated from the settings and the registry of runtimes. */
import type { z } from "zod";
import {
  daemonSettings,
  deliverySettings,
  environmentSettings,
  laneSettings,
  memberSettings,
  retentionSettings,
  teamSettings,
} from "../../../src/daemon/config/settings.ts";
import type { Settings } from "../../../src/platform/setting-types.ts";
import { metaOf } from "../../../src/platform/setting-types.ts";
import { runtimeDescriptors } from "../../../src/runtimes/registry.ts";

/** By heading. */
export function expectedTables(): Record<string, string[]> {
  return {
    "Settings of the daemon": rows(daemonSettings, ""),
    Runtimes: runtimeDescriptors.map(({ kind, provider, name, program, traits }) =>
      row([
        code(kind),
        code(provider),
        name,
        program === null ? "none" : code(program),
        traits.takesIds ? "yes" : "no",
      ]),
    ),
    "Settings of the runtimes": runtimeDescriptors.flatMap(({ settings }) => rows(settings, "")),
    "The delivery policy": [...rows(deliverySettings, "delivery."), ...rows(retentionSettings, "delivery.retention.")],
    "Lanes and teams": [
      ...rows(laneSettings, "lanes[]."),
      ...runtimeDescriptors.flatMap(({ kind, laneSettings }) =>
        rows(laneSettings, "lanes[].", `Only for \`${kind}\` lanes: `),
      ),
      ...rows(teamSettings, "teams.TEAM."),
      ...rows(memberSettings, "teams.TEAM.members.MEMBER."),
    ],
    "Only in the environment": Object.values<z.ZodType>(environmentSettings).map((schema) => {
      const { env = "", words = "", description = "" } = metaOf(schema);
      return row([code(env), defaultOf(schema), words, description]);
    }),
  };
}

function rows(table: Settings, prefix: string, lead = ""): string[] {
  return Object.entries(table).map(([key, schema]) => {
    const { env, words = "", description = "" } = metaOf(schema);
    const variable = env === undefined ? "" : code(env);
    return row([code(prefix + key), variable, defaultOf(schema), words, lead + description]);
  });
}

function defaultOf(schema: z.ZodType): string {
  const { defaultWords, words = "" } = metaOf(schema);
  if (defaultWords !== undefined) return defaultWords;
  const { data: value } = schema.safeParse(undefined);
  if (value === undefined) return "none";
  const written = code(typeof value === "string" ? value : JSON.stringify(value).replaceAll(",", ", "));
  if (!words.includes("milliseconds")) return written;
  return `${written} (${[value]
    .flat()
    .map((ms) => duration(Number(ms)))
    .join(", ")})`;
}

function duration(ms: number): string {
  const units = [
    [86_400_000, "days"],
    [60_000, "min"],
    [1000, "s"],
  ] as const;
  const [size, name] = units.find(([unit]) => ms >= unit && ms % unit === 0) ?? [1, "ms"];
  return `${ms / size} ${name}`;
}

const code = (text: string) => `\`${text}\``;
const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
