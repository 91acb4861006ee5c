/** Tokenizes Markdown. marked slows down on very long paragraphs, and throws on very deep nesting. */
import { Lexer, type MarkedToken, type Token } from "marked";

/** A longer paragraph stays as written, because parsing time grows with the square of its length. */
const longestParagraph = 8_192;

export function lexMarkdown(markdown: string): readonly MarkedToken[] {
  const lexer = new Lexer({ gfm: true });
  lexer.blockTokens(markdown, lexer.tokens);
  for (const { src, tokens } of lexer.inlineQueue) lexInline(lexer, src, tokens);
  return known(lexer.tokens);
}

/** The inline tokens of a short text on its own, such as a table cell. */
export function lexLine(line: string): readonly MarkedToken[] {
  const tokens: Token[] = [];
  lexInline(new Lexer({ gfm: true }), line, tokens);
  return known(tokens);
}

function lexInline(lexer: Lexer, source: string, tokens: Token[]): void {
  if (source.length <= longestParagraph) lexer.inlineTokens(source, tokens);
  else tokens.push({ type: "text", raw: source, text: source, escaped: false });
}

/** Without extensions, marked produces only its own tokens. */
export function known(tokens: readonly Token[]): readonly MarkedToken[] {
  return tokens as readonly MarkedToken[];
}
