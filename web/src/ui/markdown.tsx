/** Markdown of people and agents: no HTML, nothing loaded from elsewhere, links only to the web and to mail. */
import { memo, useState } from "react";
import type { Components } from "react-markdown";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { CopyButton } from "./copy-button.tsx";
import { markdownBlocks } from "./markdown-blocks.ts";
import { isFormattable } from "./markdown-limits.ts";
import { proseText } from "./safe-text.ts";

/** Longer texts are shown as plain text. */
const maxFormatted = 60_000;
const maxBlocks = 600;
const maxPlain = 20_000;

export function Markdown({ text }: { text: string }) {
  const safe = proseText(text);
  const blocks = safe.length > maxFormatted ? [] : markdownBlocks(safe);
  if (safe.length > maxFormatted || blocks.length > maxBlocks) return <PlainText text={safe} />;
  return (
    <div className="markdown" dir="auto">
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a block keeps its place, and only the last one grows
        <Block key={index} text={block} />
      ))}
    </div>
  );
}

const Block = memo(function Block({ text }: { text: string }) {
  if (!isFormattable(text)) return <PlainText text={text} />;
  return (
    <ReactMarkdown remarkPlugins={plugins} components={components}>
      {text}
    </ReactMarkdown>
  );
});

const plugins = [remarkGfm, () => withoutHidden];

/** Character references (`&#x202e;`) become characters only when the text is parsed. */
function withoutHidden(node: Node): void {
  if (node.value !== undefined) node.value = proseText(node.value);
  for (const child of node.children ?? []) withoutHidden(child);
}

type Node = { value?: string; children?: Node[] };

const components: Components = {
  a: ({ href = "", children }) =>
    /^(https?:|mailto:)/i.test(href) ? (
      <a href={href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  img: ({ alt, src }) => (
    <span className="text-muted">
      [image{alt ? `: ${alt}` : ""} {typeof src === "string" ? src.slice(0, 200) : ""}]
    </span>
  ),
  pre: ({ children, node }) => (
    <div className="group relative">
      <pre tabIndex={0}>{children}</pre>
      <div className="absolute top-1 right-1 rounded-sm bg-raised opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
        <CopyButton text={codeOf(node)} />
      </div>
    </div>
  ),
  input: ({ checked }) => <span aria-hidden="true">{checked ? "☑ " : "☐ "}</span>,
  table: ({ children }) => (
    <div className="overflow-x-auto">
      <table>{children}</table>
    </div>
  ),
};

type TextNode = { type: string; value?: string; children?: readonly unknown[] };

function codeOf(node: unknown): string {
  const { value, children = [] } = (node ?? {}) as TextNode;
  return value ?? children.map(codeOf).join("");
}

function PlainText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <div>
      <div className="wrap-anywhere whitespace-pre-wrap">{isWhole ? text : text.slice(0, maxPlain)}</div>
      {!isWhole && text.length > maxPlain && (
        <button type="button" className="text-accent underline" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </div>
  );
}
