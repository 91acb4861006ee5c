/** The tables of docs/configuration.md as they follow from the settings. */
import { deliverySettings, retentionSettings } from "../../src/daemon/config/delivery-settings.ts";
import { environmentSettings } from "../../src/daemon/config/environment-settings.ts";
import { laneSettings, memberSettings, teamSettings } from "../../src/daemon/config/lane-settings.ts";
import type { Setting } from "../../src/daemon/config/settings.ts";
import { settings } from "../../src/daemon/config/settings.ts";

type Table = Readonly<Record<string, Setting>>;

/** By the heading that each stands under. */
export function expectedTables(): Record<string, string[]> {
  return {
    "Settings of the daemon": rows(settings, ""),
    "The delivery policy": [...rows(deliverySettings, "delivery."), ...rows(retentionSettings, "delivery.retention.")],
    "Lanes and teams": [
      ...rows(laneSettings, "lanes[]."),
      ...rows(teamSettings, "teams.TEAM."),
      ...rows(memberSettings, "teams.TEAM.members.MEMBER."),
    ],
    "Only in the environment": environmentSettings.map((setting) =>
      row([code(setting.env), defaultOf(setting), setting.kind.words, setting.meaning, setting.effect]),
    ),
  };
}

function rows(table: Table, prefix: string): string[] {
  return Object.entries(table).map(([key, setting]) => {
    const variable = setting.env === undefined ? "" : code(setting.env);
    const { kind, meaning, effect } = setting;
    return row([code(prefix + key), variable, defaultOf(setting), kind.words, meaning, effect]);
  });
}

function defaultOf({ default: value, defaultWords, kind }: Setting): string {
  if (defaultWords !== undefined) return defaultWords;
  if (value === undefined) return "none";
  const written = code(typeof value === "string" ? value : JSON.stringify(value).replaceAll(",", ", "));
  if (!kind.words.includes("milliseconds")) return written;
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
