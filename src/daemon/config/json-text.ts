/**
 * Reads plain JSON, and says at which line and column a text stops being JSON. The engine's own error quotes the text
 * around that position, which may hold a secret; here nothing is quoted.
 */
import type { ParseError } from "jsonc-parser";
import { parse, printParseErrorCode } from "jsonc-parser";

export type JsonText = { ok: true; value: unknown } | { ok: false; line: number; column: number; reason: string };

const reasons: Readonly<Record<string, string>> = {
  InvalidSymbol: "a value is expected",
  InvalidNumberFormat: "a number is not valid",
  PropertyNameExpected: "a name in double quotes is expected",
  ValueExpected: "a value is expected",
  ColonExpected: 'a ":" is expected',
  CommaExpected: 'a "," or the closing bracket is expected',
  CloseBraceExpected: 'a "}" is expected',
  CloseBracketExpected: 'a "]" is expected',
  EndOfFileExpected: "the end of the file is expected",
  InvalidCommentToken: "there is a comment, which JSON does not have",
  UnexpectedEndOfString: "a text has no closing quote",
};

export function readJson(text: string): JsonText {
  // Editors on some systems begin a file with this mark.
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
    // The parser is recursive, and the stack is not endless.
    return { offset: 0, reason: "it is nested too deeply" };
  }
  const [first] = errors.toSorted((a, b) => a.offset - b.offset);
  if (!first) return { offset: 0, reason: "it is not valid" };
  return {
    offset: first.offset,
    reason: reasons[printParseErrorCode(first.error)] ?? "a sign or an escape is not valid",
  };
}
