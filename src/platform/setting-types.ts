/**
 * The types of settings: zod schemas whose metadata hold the words for errors and documentation. A setting is one of
 * them with a default and a description, such as `port.default(80).meta({ env: "PORT", description: "…" })`.
 */
import { inspect } from "node:util";
import { z } from "zod";

export type SettingMeta = {
  /** Completes the sentence "it must be …". */
  words: string;
  description: string;
  /** The environment variable that sets it. */
  env?: string;
  /** For a default that depends on something else. */
  defaultWords?: string;
  secret?: true;
  /**
   * A `path` is resolved against the directory of the file it was written in. So is a `program`, unless it is a plain
   * name, which is looked up in PATH.
   */
  path?: "path" | "program";
};

export type Settings = Readonly<Record<string, z.ZodType>>;

/** The metadata of a setting, including that of the type below its default. */
export function metaOf(schema: z.core.$ZodType): Partial<SettingMeta> {
  const inner = withoutDefault(schema);
  return { ...(inner === schema ? {} : metaOf(inner)), ...z.globalRegistry.get(schema) } as Partial<SettingMeta>;
}

/** Unwraps optional and default. */
export function withoutDefault(schema: z.core.$ZodType): z.core.$ZodType {
  const wrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return wrapped ? schema.def.innerType : schema;
}

const tenYears = 10 * 365 * 24 * 60 * 60 * 1000;
const wholeNumber = (min: number, max: number, words: string) => z.int().min(min).max(max).meta({ words });

export const count = wholeNumber(0, 1_000_000, "a whole number, 0 or more");
export const positive = wholeNumber(1, 1_000_000, "a whole number, 1 or more");
export const milliseconds = wholeNumber(0, tenYears, "a whole number of milliseconds, 0 or more");
/** For deadlines and intervals, where 0 would mean always or never. */
export const someMilliseconds = wholeNumber(1, tenYears, "a whole number of milliseconds, 1 or more");
export const port = wholeNumber(1, 65535, "a port from 1 to 65535");
export const portOrAny = wholeNumber(0, 65535, "a port from 1 to 65535, or 0 for any that is free");
/** Null turns the listener off. */
export const portOrNone = z
  .int()
  .min(0)
  .max(65535)
  .nullable()
  .meta({ words: "a port from 1 to 65535, 0 for any that is free, or null for none" });

/** Null removes a limit that is set for all lanes. */
export const tokenLimit = z.int().min(1).nullable().meta({ words: "a whole number, 1 or more, or null for none" });
export const costLimit = z.number().positive().nullable().meta({ words: "a number above 0, or null for none" });

export const ids = z.array(z.int()).meta({ words: "a list of numeric ids" });

export const flag = z.boolean().meta({ words: "true or false" });

const isText = (value: string) => value.trim() !== "";
// System calls would truncate a path at a NUL, or refuse it with their own error.
const pathText = z.string().refine((value) => isText(value) && !value.includes("\0"));

export const text = z.string().refine(isText).meta({ words: "text that is not empty" });
export const path = pathText.meta({ words: "a path", path: "path" });
export const program = pathText.meta({ words: "the name of a program, or the path to it", path: "program" });
export const paths = z.array(path).meta({ words: "a list of paths", path: "path" });

export const slug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)
  .meta({ words: "1 to 64 of a-z 0-9 _ -, beginning with a letter or a digit" });

export function choice<const T extends string>(...values: readonly T[]) {
  return z.enum(values).meta({ words: `one of ${values.join(", ")}` });
}

export const host = z
  .string()
  .regex(/^[A-Za-z0-9._:-]+$/)
  .refine((value) => !value.includes(":") || value.split(":").length > 2)
  .meta({ words: "a host name or an address, without a port" });

const hostAndPort = z
  .string()
  .regex(/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/)
  .meta({ words: "a host name" });
export const hosts = z
  .array(hostAndPort)
  .meta({ words: 'a list of host names, such as "box.local" or "box.local:7717"' });

const origin = z
  .string()
  .refine((value) => urlOf(value)?.origin === value || isAppOrigin(value))
  .meta({ words: "an origin" });
export const origins = z.array(origin).meta({ words: 'a list of origins, such as "https://box.local"' });

/** Errors and logs show URLs, so a password is not allowed. Paths are appended, so ? and # are not allowed either. */
export const httpUrl = z
  .string()
  .refine((value) => {
    const url = urlOf(value);
    if (url === null || !/^https?:$/.test(url.protocol)) return false;
    return url.username === "" && url.password === "" && !/[?#]/.test(url.href);
  })
  .meta({ words: "a URL that begins with http:// or https://, without a password and without ? or #" });

/** A desktop app's page has its own scheme, whose origin `URL` does not know. */
function isAppOrigin(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(:\d+)?$/.test(value) && urlOf(value)?.origin === "null";
}

function urlOf(value: string): URL | null {
  return URL.canParse(value) ? new URL(value) : null;
}

export const delays = z.array(milliseconds).meta({ words: "a list of whole numbers of milliseconds" });
export const someDelays = z
  .array(milliseconds)
  .min(1)
  .meta({ words: "a list of whole numbers of milliseconds that is not empty" });

/** Shown as `[secret]` when printed, logged or serialized; only `reveal` returns the value. */
export type Secret = { reveal(): string; toString(): string; toJSON(): string };

const hidden = () => "[secret]";

/** Tokens and keys are sent in headers, where a line break would start another header. */
export const secretText = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .transform(
    (value): Secret => ({ reveal: () => value, toString: hidden, toJSON: hidden, [inspect.custom]: hidden }) as Secret,
  )
  .meta({ words: "text without spaces or line breaks", secret: true });
