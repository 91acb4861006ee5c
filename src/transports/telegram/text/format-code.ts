/** Formats a code block as preformatted text with its language. */
import type { Tokens } from "marked";
import { concatenated, type FormattedText, plainText } from "./formatted-text.ts";
import { preformatted } from "./style.ts";

/** Telegram accepts one word as the language. The rest of the info string (a path, a title) goes above the code. */
export function formatCode({ text, lang, raw }: Pick<Tokens.Code, "text" | "lang" | "raw">): FormattedText {
  const [language = "", ...rest] = (lang ?? "").trim().split(/\s+/);
  const code = preformatted(text, language);
  if (code.text === "") return plainText(raw);
  return rest.length === 0 ? code : concatenated([plainText(`${rest.join(" ")}\n`), code]);
}
