/**
 * Parses plain JSON, and reports the line and column of the first error. The engine's own error quotes the text around
 * that position, which may contain a secret; these errors quote nothing.
 */
import type { ParseError } from "jsonc-parser";
import { parse, printParseErrorCode } from "jsonc-parser";

export type JsonText = { ok: true; value: unknown } | { ok: false; line: number; column: number; reason: string };

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
