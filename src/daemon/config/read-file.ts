/** Finds and reads the configuration file, or says why it cannot. Null if none is named and none exists. */
import { readFileSync, statSync } from "node:fs";
import type { ParseError } from "jsonc-parser";
import { parse, printParseErrorCode } from "jsonc-parser";
import { messageOf } from "../../platform/app-error.ts";
import { defaultConfigPath, expandPath } from "../../platform/home.ts";
import type { Problem } from "./config-error.ts";
import { configMissing, configProblems, configUnreadable } from "./config-error.ts";
import { problemsOf } from "./problems.ts";
import type { ConfigFile } from "./settings.ts";
import { fileSchema } from "./settings.ts";

/** Far more than any configuration needs; a large file of another kind is rejected before it is read. */
const maxBytes = 1024 * 1024;

export type ReadFile = { path: string; content: ConfigFile };

export function configPath(env: NodeJS.ProcessEnv): string {
  return env.WAYBILL_CONFIG ? expandPath(env.WAYBILL_CONFIG, process.cwd(), env) : defaultConfigPath(env);
}

export function readConfigFile(env: NodeJS.ProcessEnv): ReadFile | null {
  const path = configPath(env);
  const text = readText(path);
  if (text !== null) return { path, content: parseConfigFile(path, text) };
  if (env.WAYBILL_CONFIG) throw configMissing(path);
  return null;
}

function readText(path: string): string | null {
  try {
    const { size } = statSync(path);
    if (size > maxBytes) throw configUnreadable(path, `it has ${size} bytes, but the limit is ${maxBytes}`);
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "config_invalid") throw error;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw configUnreadable(path, code === "EISDIR" ? "it is a directory" : messageOf(error), error);
  }
}

export function parseConfigFile(path: string, text: string): ConfigFile {
  const json = readJson(text);
  if (!json.ok) {
    throw configUnreadable(path, `it is not valid JSON: at line ${json.line}, column ${json.column}, ${json.reason}`);
  }
  const parsed = fileSchema.safeParse(json.value);
  // Not the parsed value, in which defaults hide what the file left out.
  if (parsed.success) return json.value as ConfigFile;
  const [first, ...others] = problemsOf(fileSchema, json.value, parsed.error.issues);
  const unexplained: Problem = { key: "it", reason: "is not a valid configuration" };
  throw configProblems(path, [first ?? unexplained, ...others]);
}

type JsonText = { ok: true; value: unknown } | { ok: false; line: number; column: number; reason: string };

const reasons: Readonly<Record<string, string>> = {
  InvalidSymbol: "a value is expected",
  InvalidNumberFormat: "a number is invalid",
  PropertyNameExpected: "a name in double quotes is expected",
  ValueExpected: "a value is expected",
  ColonExpected: 'a ":" is expected',
  CommaExpected: 'a "," or the closing bracket is expected',
  CloseBraceExpected: 'a "}" is expected',
  CloseBracketExpected: 'a "]" is expected',
  EndOfFileExpected: "the end of the file is expected",
  InvalidCommentToken: "there is a comment, which JSON does not allow",
  UnexpectedEndOfString: "a string has no closing quote",
};

/**
 * Parses plain JSON, and reports the line and column of the first error. The engine's own error quotes the text around
 * that position, which may contain a secret; these errors quote nothing.
 */
export function readJson(text: string): JsonText {
  // Some editors start a file with a byte order mark.
  const body = text.startsWith("\ufeff") ? text.slice(1) : text;
  try {
    return { ok: true, value: JSON.parse(body) as unknown };
  } catch {
    const { offset, reason } = firstError(body);
    const before = body.slice(0, offset).split("\n");
    return { ok: false, line: before.length, column: (before.at(-1) ?? "").length + 1, reason };
  }
}

function firstError(text: string): { offset: number; reason: string } {
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch {
    // The parser is recursive, and deep nesting overflows the stack.
    return { offset: 0, reason: "it is nested too deeply" };
  }
  const [first] = errors.toSorted((a, b) => a.offset - b.offset);
  if (!first) return { offset: 0, reason: "it is invalid" };
  return {
    offset: first.offset,
    reason: reasons[printParseErrorCode(first.error)] ?? "a character or an escape is invalid",
  };
}
