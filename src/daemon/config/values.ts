/**
 * Puts the settings together: environment over file over default. Paths are resolved against the directory where they
 * were written: the file's, or the working directory for a variable.
 */
import { dirname } from "node:path";
import { z } from "zod";
import { expandPath } from "../../home.ts";
import type { SettingMeta } from "../../setting-types.ts";
import { metaOf } from "../../setting-types.ts";
import type { Origin } from "./config-error.ts";
import { badSetting } from "./config-error.ts";
import type { ReadFile } from "./read-file.ts";
import { daemonSettings, runtimeSettings } from "./settings.ts";

const daemonSchema = z.object(daemonSettings);
const runtimeSchema = z.object(runtimeSettings);

export type DaemonValues = z.output<typeof daemonSchema>;

/** Where each setting that is no default came from. */
export type Origins = Readonly<Record<string, Origin | undefined>>;

type Sources = { env: NodeJS.ProcessEnv; file: ReadFile | null; stateDirectory: string };

export function settingValues({ env, file, stateDirectory }: Sources) {
  const given: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  const schemas = Object.entries<z.ZodType>({ ...daemonSettings, ...runtimeSettings });
  for (const [key, schema] of schemas) {
    const found = fromEnvironment(schema, env) ?? fromFile(key, file);
    if (!found) continue;
    given[key] = found.value;
    origins[key] = found.origin;
  }
  const resolved = (values: Record<string, unknown>) => {
    for (const [key, value] of Object.entries(values)) {
      const kind = metaOf({ ...daemonSettings, ...runtimeSettings }[key] as z.ZodType).path;
      if (kind === undefined || value === undefined) continue;
      const base = baseOf(origins[key]);
      const resolve = (path: string) =>
        kind === "program" && !path.includes("/")
          ? path
          : expandPath(origins[key] ? path : path.replace("$WAYBILL_HOME", stateDirectory), base, env);
      values[key] = Array.isArray(value) ? value.map(resolve) : resolve(value as string);
    }
    return values;
  };
  return {
    values: resolved(daemonSchema.parse(given)) as DaemonValues,
    runtimeSettings: resolved(runtimeSchema.parse(given)),
    origins: origins as Origins,
  };
}

function baseOf(origin: Origin | undefined): string {
  if (origin === undefined) return "/";
  return origin.kind === "file" ? dirname(origin.file) : process.cwd();
}

type Found = { value: unknown; origin: Origin };

/** An empty variable counts as one that is not set. */
export function fromEnvironment(schema: z.ZodType, env: NodeJS.ProcessEnv): Found | null {
  const { env: variable, words, secret }: Partial<SettingMeta> = metaOf(schema);
  const text = variable === undefined ? undefined : env[variable];
  if (variable === undefined || text === undefined || text.trim() === "") return null;
  const origin: Origin = { kind: "environment", variable };
  const accepted = meaningsOf(text).filter((value) => schema.safeParse(value).success);
  if (accepted.length > 0) return { value: accepted[0], origin };
  // A URL is refused for the password in it, which must not be in the log of a service then.
  const shown = secret || /:\/\/[^/]*@/.test(text) ? "" : `, and is ${JSON.stringify(text.slice(0, 80))}`;
  throw badSetting(origin, `must be ${words}${shown}`);
}

const words = new Map<string, unknown>([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
  ["null", null],
]);

/** What a text in the environment can mean; the setting's type decides. */
function meaningsOf(text: string): unknown[] {
  const trimmed = text.trim();
  const number = /^[+-]?\d+(\.\d+)?$/.test(trimmed) ? [Number(trimmed)] : [];
  const word = words.get(trimmed.toLowerCase());
  return [text, trimmed, ...number, ...(word === undefined ? [] : [word])];
}

function fromFile(key: string, file: ReadFile | null): Found | null {
  const value = (file?.content as Record<string, unknown> | undefined)?.[key];
  return file === null || value === undefined ? null : { value, origin: { kind: "file", file: file.path, key } };
}
