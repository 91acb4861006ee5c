/**
 * Puts the settings together: environment over file over default. Paths are resolved against the place where they were
 * written: the file's directory, or the working directory for a variable.
 */
import { dirname } from "node:path";
import { expandPath } from "../../home.ts";
import type { Origin } from "./config-error.ts";
import { badSetting } from "./config-error.ts";
import type { Kind } from "./kinds.ts";
import type { ReadFile } from "./read-file.ts";
import type { Setting, ValuesOf } from "./settings.ts";
import { settings } from "./settings.ts";

export type Values = ValuesOf<typeof settings>;

/** Where each setting that is no default came from. */
export type Origins = Partial<Record<keyof Values, Origin>>;

export type Sources = {
  env: NodeJS.ProcessEnv;
  file: ReadFile | null;
  stateDirectory: string;
};

export function settingValues(sources: Sources): { values: Values; origins: Origins } {
  const values: Record<string, unknown> = {};
  const origins: Origins = {};
  for (const [key, setting] of Object.entries<Setting>(settings)) {
    const name = key as keyof Values;
    const found = fromEnvironment(setting, sources.env) ?? fromFile(name, sources.file);
    if (found) origins[name] = found.origin;
    values[key] = found ? resolved(setting.kind, found, sources.env) : defaultOf(setting, sources);
  }
  return { values: values as Values, origins };
}

type Found = { value: unknown; origin: Origin };

/** An empty variable counts as one that is not set. */
export function fromEnvironment(setting: Setting, env: NodeJS.ProcessEnv): Found | null {
  const variable = setting.env;
  const text = variable === undefined ? undefined : env[variable];
  if (variable === undefined || text === undefined || text.trim() === "" || !setting.kind.fromText) return null;
  const parsed = setting.kind.schema.safeParse(setting.kind.fromText(text));
  const origin: Origin = { kind: "environment", variable };
  if (parsed.success) return { value: parsed.data, origin };
  // A URL is refused for the password in it, which is not to stand in the log of a service then.
  const shown = setting.secret || /:\/\/[^/]*@/.test(text) ? "" : `, and is ${JSON.stringify(text.slice(0, 80))}`;
  throw badSetting(origin, `must be ${setting.kind.words}${shown}`);
}

function fromFile(key: keyof Values, file: Sources["file"]): Found | null {
  const value = file?.content[key];
  return file === null || value === undefined ? null : { value, origin: { kind: "file", file: file.path, key } };
}

function defaultOf(setting: Setting, { env, stateDirectory }: Sources): unknown {
  if (setting.default === undefined) return null;
  const { place } = setting.kind;
  return place === undefined
    ? setting.default
    : onEach(setting.default, (path) => asPlace(path.replace("$WAYBILL_HOME", stateDirectory), place, "/", env));
}

function resolved({ place }: Kind<unknown>, { value, origin }: Found, env: NodeJS.ProcessEnv): unknown {
  if (place === undefined) return value;
  const base = origin.kind === "file" ? dirname(origin.file) : process.cwd();
  return onEach(value, (path) => asPlace(path, place, base, env));
}

function asPlace(path: string, place: "path" | "program", base: string, env: NodeJS.ProcessEnv): string {
  return place === "program" && !path.includes("/") ? path : expandPath(path, base, env);
}

function onEach(value: unknown, change: (one: string) => string): unknown {
  return Array.isArray(value) ? value.map(change) : change(value as string);
}
