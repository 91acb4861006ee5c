/** The kinds of values that a setting can have: what is accepted, in which words, and how a variable's text is read. */
import { z } from "zod";
import type { StubScriptInput } from "../../runtimes/stub/script.ts";
import { stubScriptSchema } from "../../runtimes/stub/script.ts";

export type Kind<T> = {
  /** Completes the sentence "it must be …". */
  words: string;
  schema: z.ZodType<T>;
  /** What the text of an environment variable means; for kinds that a variable can have. */
  fromText?: (text: string) => unknown;
  /**
   * `path` is resolved against the place where it was written; a `program` only when it is more than a name, which is
   * looked for in PATH.
   */
  place?: "path" | "program";
};

function kind<T>(words: string, accepts: (value: unknown) => boolean, more: Partial<Kind<T>> = {}): Kind<T> {
  return { words, schema: z.custom<T>(accepts, `must be ${words}`), ...more };
}

function listOf<T>(one: Kind<T>, words: string): Kind<readonly T[]> {
  const schema = z.array(one.schema, `must be ${words}`);
  return { words, schema, ...(one.place ? { place: one.place } : {}) };
}

const numberFromText = (text: string) => (/^[+-]?\d+$/.test(text.trim()) ? Number(text) : text);

function wholeNumber(least: number, most: number, words: string): Kind<number> {
  const accepts = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
  return kind(words, accepts, { fromText: numberFromText });
}

const tenYears = 10 * 365 * 24 * 60 * 60 * 1000;

export const count = wholeNumber(0, 1_000_000, "a whole number, 0 or more");
export const positive = wholeNumber(1, 1_000_000, "a whole number, 1 or more");
export const milliseconds = wholeNumber(0, tenYears, "a whole number of milliseconds, 0 or more");
/** For deadlines and rhythms, where none at all would mean always or never. */
export const someMilliseconds = wholeNumber(1, tenYears, "a whole number of milliseconds, 1 or more");
export const port = wholeNumber(1, 65535, "a port from 1 to 65535");
export const portOrAny = wholeNumber(0, 65535, "a port from 1 to 65535, or 0 for any that is free");

/** Null takes a limit away that was set for all. */
function limit(one: Kind<number>): Kind<number | null> {
  const words = `${one.words}, or null for none`;
  const schema = z.custom<number | null>(
    (value) => value === null || one.schema.safeParse(value).success,
    `must be ${words}`,
  );
  return { words, schema, fromText: (text) => (text.trim() === "null" ? null : one.fromText?.(text)) };
}

export const tokenLimit = limit(wholeNumber(1, Number.MAX_SAFE_INTEGER, "a whole number, 1 or more"));
export const costLimit = limit(
  kind<number>("a number above 0", (value) => typeof value === "number" && Number.isFinite(value) && value > 0, {
    fromText: (text) => (/^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text),
  }),
);

const flags = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);
export const flag: Kind<boolean> = kind("true or false", (value) => typeof value === "boolean", {
  fromText: (text) => flags.get(text.trim().toLowerCase()) ?? text,
});

const asItIs = (text: string) => text;
const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

export const text: Kind<string> = kind("text that is not empty", isText, { fromText: asItIs });
export const path: Kind<string> = { ...text, words: "a path", schema: textSchema("a path"), place: "path" };
export const program: Kind<string> = {
  ...text,
  words: "the name of a program, or the path to it",
  schema: textSchema("the name of a program, or the path to it"),
  place: "program",
};

function textSchema(words: string): z.ZodType<string> {
  // A NUL would be cut off by the system calls behind it, or refused by them in their own words.
  return z.custom<string>((value) => isText(value) && !value.includes("\0"), `must be ${words}`);
}

/** Tokens and keys travel in headers, where a line break would begin another one. */
export const secretText: Kind<string> = kind(
  "text without spaces or line breaks",
  (value) => isText(value) && /^[\x21-\x7e]+$/.test(value),
  { fromText: (text) => text.trim() },
);

const slugPattern = /^[a-z0-9][a-z0-9_-]{0,63}$/;
export const slug: Kind<string> = kind(
  "1 to 64 of a-z 0-9 _ -, beginning with a letter or a digit",
  (value) => typeof value === "string" && slugPattern.test(value),
);

export function choice<const T extends string>(...values: readonly T[]): Kind<T> {
  const words = `one of ${values.join(", ")}`;
  return kind(words, (value) => values.includes(value as T), { fromText: (text) => text.trim() });
}

const hostPattern = /^[A-Za-z0-9._:-]+$/;
export const host: Kind<string> = kind(
  "a host name or an address, without a port",
  (value) => isText(value) && hostPattern.test(value) && (!value.includes(":") || value.split(":").length > 2),
  { fromText: (text) => text.trim() },
);

const hostAndPort = kind<string>(
  "a host name",
  (value) => isText(value) && /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/.test(value),
);
export const hosts = listOf(hostAndPort, 'a list of host names, such as "box.local" or "box.local:7717"');

const origin = kind<string>("an origin", (value) => isText(value) && urlOf(value)?.origin === value);
export const origins = listOf(origin, 'a list of origins, such as "https://box.local"');

export const httpUrl: Kind<string> = kind(
  "a URL that begins with http:// or https://, without a password and without ? or #",
  (value) => isText(value) && isPlainHttp(urlOf(value)),
  { fromText: (text) => text.trim() },
);

/** Errors and logs show URLs, so a password has no place in one; and paths are put behind it, so nothing may end it. */
function isPlainHttp(url: URL | null): boolean {
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.username === "" && url.password === "" && !/[?#]/.test(url.href);
}

function urlOf(value: string): URL | null {
  return URL.canParse(value) ? new URL(value) : null;
}

export const paths = listOf(path, "a list of paths");
export const waits = listOf(milliseconds, "a list of whole numbers of milliseconds");
export const someWaits: Kind<readonly number[]> = {
  words: "a list of whole numbers of milliseconds that is not empty",
  schema: z
    .array(milliseconds.schema, "must be a list of whole numbers of milliseconds")
    .min(1, "must be a list that is not empty"),
};

export const script: Kind<StubScriptInput> = { words: "a script of the stub agent", schema: stubScriptSchema };
