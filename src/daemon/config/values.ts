/**
 * Merges the settings: environment over file over default. Paths in the file are relative to the file's directory, paths in
 * variables to the working directory.
 */
import { dirname } from "node:path";
import { z } from "zod";
import { expandPath } from "../../platform/home.ts";
import type { SettingMeta, Settings } from "../../platform/setting-types.ts";
import { metaOf } from "../../platform/setting-types.ts";
import type { Origin } from "./config-error.ts";
import { badSetting } from "./config-error.ts";
import type { ReadFile } from "./read-file.ts";
import { daemonSettings, runtimeSettings } from "./settings.ts";

const daemonSchema = z.object(daemonSettings);
const runtimeSchema = z.object(runtimeSettings);

export type DaemonValues = z.output<typeof daemonSchema>;

/** The source of each setting that is not a default. */
export type Origins = Readonly<Record<string, Origin | undefined>>;

type Sources = { env: NodeJS.ProcessEnv; file: ReadFile | null; stateDirectory: string };

export function settingValues(sources: Sources) {
  const { env, file } = sources;
  const given: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  for (const [key, schema] of Object.entries<z.ZodType>({ ...daemonSettings, ...runtimeSettings })) {
    const found = fromEnvironment(schema, env) ?? fromFile(key, file);
    if (!found) continue;
    given[key] = found.value;
    origins[key] = found.origin;
  }
  return {
    values: withPaths(daemonSettings, daemonSchema.parse(given), origins, sources),
    runtimeSettings: withPaths(runtimeSettings, runtimeSchema.parse(given), origins, sources),
    origins: origins as Origins,
  };
}

function withPaths<T extends Record<string, unknown>>(
  table: Settings,
  values: T,
  origins: Origins,
  sources: Sources,
): T {
  const resolved = Object.entries(values).map(([key, value]) => {
    const { path: type } = metaOf(table[key] as z.ZodType);
    if (type === undefined || value === undefined) return [key, value];
    const origin = origins[key];
    const base = origin?.kind === "file" ? dirname(origin.file) : process.cwd();
    const resolve = (written: string) => {
      if (type === "program" && !written.includes("/")) return written;
      return expandPath(origin ? written : written.replace("$WAYBILL_HOME", sources.stateDirectory), base, sources.env);
    };
    return [key, Array.isArray(value) ? value.map(resolve) : resolve(value as string)];
  });
  return Object.fromEntries(resolved) as T;
}

type Found = { value: unknown; origin: Origin };

/** An empty variable counts as unset. */
export function fromEnvironment(schema: z.ZodType, env: NodeJS.ProcessEnv): Found | null {
  const { env: variable, words, secret }: Partial<SettingMeta> = metaOf(schema);
  const text = variable === undefined ? undefined : env[variable];
  if (variable === undefined || text === undefined || text.trim() === "") return null;
  const origin: Origin = { kind: "environment", variable };
  const accepted = meaningsOf(text).filter((value) => schema.safeParse(value).success);
  if (accepted.length > 0) return { value: accepted[0], origin };
  // A URL may be rejected because it contains a password, which must not end up in a log.
  const shown = secret || /:\/\/[^/]*@/.test(text) ? "" : `, not ${JSON.stringify(text.slice(0, 80))}`;
  throw badSetting(origin, `must be ${words}${shown}`);
}

const words = new Map<string, unknown>([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
  ["null", null],
]);

/** What a variable's text can mean; the setting's type decides. */
function meaningsOf(text: string): unknown[] {
  const trimmed = text.trim();
  const number = /^[+-]?\d+(\.\d+)?$/.test(trimmed) ? [Number(trimmed)] : [];
  const word = words.get(trimmed.toLowerCase());
  const list = /^-?\d+(\s*,\s*-?\d+)*$/.test(trimmed) ? [trimmed.split(",").map(Number)] : [];
  return [text, trimmed, ...number, ...list, ...(word === undefined ? [] : [word])];
}

function fromFile(key: string, file: ReadFile | null): Found | null {
  const value = (file?.content as Record<string, unknown> | undefined)?.[key];
  return file === null || value === undefined ? null : { value, origin: { kind: "file", file: file.path, key } };
}
