/** Formats inline Markdown: styles, code, links, images, breaks. */
import type { MarkedToken, Token, Tokens } from "marked";
import { decodeReferences } from "./character-references.ts";
import { concatenated, emptyText, type FormattedText, plainText } from "./formatted-text.ts";
import { known } from "./lex-markdown.ts";
import { linkTarget } from "./link-target.ts";
import { inlineCode, linked, styled } from "./style.ts";

/** `text` is for places that cannot hold a link: the label of another link, and code. */
export type LinkForm = "entity" | "text";

export function formatInline(tokens: readonly Token[], links: LinkForm): FormattedText {
  return concatenated(known(tokens).map((token) => formatToken(token, links)));
}

function formatToken(token: MarkedToken, links: LinkForm): FormattedText {
  switch (token.type) {
    case "strong":
      return styled(formatInline(token.tokens, links), "bold");
    case "em":
      return styled(formatInline(token.tokens, links), "italic");
    case "del":
      return styled(formatInline(token.tokens, links), "strikethrough");
    case "codespan":
      return inlineCode(token.text);
    case "br":
      return plainText("\n");
    case "link":
      return formatLink(token, links);
    case "image":
      return formatImage(token, links);
    case "checkbox":
      // The list item shows it as its marker.
      return emptyText;
    case "text":
      return token.tokens ? formatInline(token.tokens, links) : plainText(decodeReferences(token.text));
    case "escape":
      return plainText(token.text);
    case "html":
      return plainText(token.raw);
    case "blockquote":
    case "code":
    case "def":
    case "heading":
    case "hr":
    case "list":
    case "list_item":
    case "paragraph":
    case "space":
    case "table":
      return plainText(token.raw);
    default:
      return token satisfies never;
  }
}

/** Telegram detects bare URLs on its own, and ignores those it does not accept. */
function formatLink(token: Tokens.Link, links: LinkForm): FormattedText {
  if (token.autolink) return plainText(token.text);
  return labelled(formatInline(token.tokens, "text"), token, links);
}

function formatImage(token: Tokens.Image, links: LinkForm): FormattedText {
  return labelled(formatInline(token.tokens, "text"), token, links);
}

type Target = { href: string; title?: string | null };

function labelled(label: FormattedText, { href, title }: Target, links: LinkForm): FormattedText {
  const address = decodeReferences(href);
  const url = links === "entity" ? linkTarget(address) : null;
  const note = title ? plainText(` (${decodeReferences(title)})`) : emptyText;
  if (label.text.trim() === "") return concatenated([plainText(address), note]);
  if (url !== null) return concatenated([linked(label, url), note]);
  const isRepeated = address === "" || label.text === address;
  return concatenated([label, plainText(isRepeated ? "" : ` (${address})`), note]);
}
