/**
 * Reads JSON, and says at which line and column a text stops being JSON. The engine's own error names a place only at
 * times, and quotes the text around it, which may hold a secret; so the place is looked for here, and nothing is quoted.
 */

export type JsonText = { ok: true; value: unknown } | { ok: false; line: number; column: number; reason: string };

export function readJson(text: string): JsonText {
  // Editors on some systems begin a file with this mark.
  const body = text.startsWith("\ufeff") ? text.slice(1) : text;
  try {
    return { ok: true, value: JSON.parse(body) as unknown };
  } catch {
    const { offset, expected } = firstFault(body);
    const before = body.slice(0, offset).split("\n");
    const found = offset >= body.length ? "the file ends" : "there is something else";
    const reason = `${expected} should stand there, and ${found}`;
    return { ok: false, line: before.length, column: (before.at(-1) ?? "").length + 1, reason };
  }
}

type Expected = "value" | "value or ]" | "name or }" | "name" | "colon" | "next or end" | "end of file";

const words: Record<Expected, string> = {
  value: "a value",
  "value or ]": 'a value or "]"',
  "name or }": 'a name in double quotes or "}"',
  name: "a name in double quotes",
  colon: 'a ":"',
  "next or end": 'a "," or the closing bracket',
  "end of file": "the end of the file",
};

const blank = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a string may not hold them
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/** Walks over the tokens with a stack of open brackets, so that no nesting is too deep. */
function firstFault(text: string): { offset: number; expected: string } {
  const open: ("{" | "[")[] = [];
  let at = 0;
  let expected: Expected = "value";
  const taken = (token: RegExp) => {
    token.lastIndex = at;
    const length = token.exec(text)?.[0].length ?? -1;
    at += Math.max(0, length);
    return length >= 0;
  };
  const afterValue = (): Expected => (open.length === 0 ? "end of file" : "next or end");
  const step = (): Expected | null => {
    const sign = text[at] ?? "";
    const closes = sign === (open.at(-1) === "{" ? "}" : "]") && open.length > 0;
    if (closes && (expected === "next or end" || expected.endsWith(sign))) {
      open.pop();
      at++;
      return afterValue();
    }
    if (expected === "value" || expected === "value or ]") {
      if (sign === "{" || sign === "[") {
        open.push(sign);
        at++;
        return sign === "{" ? "name or }" : "value or ]";
      }
      return taken(string) || taken(scalar) ? afterValue() : null;
    }
    if (expected === "name" || expected === "name or }") return taken(string) ? "colon" : null;
    if (expected === "colon" && sign === ":") at++;
    else if (expected === "next or end" && sign === ",") at++;
    else return null;
    return sign === ":" || open.at(-1) === "[" ? "value" : "name";
  };
  for (;;) {
    taken(blank);
    const next = step();
    if (next === null) return { offset: at, expected: words[expected] };
    expected = next;
  }
}
