import type { MessageEntity } from "grammy/types";
import { describe, expect, test } from "vitest";
import { formatMarkdown } from "./format-markdown.ts";

/** Each entity with the text that it covers. */
function covered(markdown: string): { text: string; entities: Record<string, unknown>[] } {
  const { text, entities } = formatMarkdown(markdown);
  return { text, entities: entities.map((entity) => summary(text, entity)) };
}

function summary(text: string, { type, offset, length, ...rest }: MessageEntity): Record<string, unknown> {
  return { [type]: text.slice(offset, offset + length), ...rest };
}

describe("inline marks", () => {
  test("bold, italic and strikethrough become entities", () => {
    expect(covered("a **b** *c* ~~d~~ __e__")).toEqual({
      text: "a b c d e",
      entities: [{ bold: "b" }, { italic: "c" }, { strikethrough: "d" }, { bold: "e" }],
    });
  });

  test("nested styles stay nested, the outer one first", () => {
    expect(covered("**a *b* c**").entities).toEqual([{ bold: "a b c" }, { italic: "b" }]);
  });

  test("the same style is not nested in itself", () => {
    expect(covered("# a **b** c").entities).toEqual([{ bold: "a b c" }]);
  });

  test("a style is split around code", () => {
    expect(covered("**run `npm i` now**")).toEqual({
      text: "run npm i now",
      entities: [{ bold: "run" }, { code: "npm i" }, { bold: "now" }],
    });
  });

  test("code alone in a style is only code", () => {
    expect(covered("**`x`**").entities).toEqual([{ code: "x" }]);
  });

  test("code keeps marks and references as written", () => {
    expect(covered("`` a`*b*&lt; ``")).toEqual({ text: "a`*b*&lt;", entities: [{ code: "a`*b*&lt;" }] });
  });

  test("escapes and character references are resolved outside code", () => {
    expect(covered("\\*a\\* &lt;b&gt; &amp;amp; &#39; &#x1F600; &unknown;")).toEqual({
      text: "*a* <b> &amp; ' 😀 &unknown;",
      entities: [],
    });
  });

  test("offsets count UTF-16 units", () => {
    expect(formatMarkdown("👨‍👩‍👧 **b**").entities).toEqual([{ type: "bold", offset: 9, length: 1 }]);
  });

  test("hard and soft breaks stay breaks", () => {
    expect(formatMarkdown("a  \nb\\\nc\nd").text).toBe("a\nb\nc\nd");
  });

  test("HTML stays text", () => {
    expect(covered("<b>a</b>\n\n<div>\nb\n</div>")).toEqual({ text: "<b>a</b>\n\n<div>\nb\n</div>", entities: [] });
  });

  test.each(["**a", "*a **b", "~~a", "`a", "[a](http://b", "![a](", "a_b_c", "**", "[]()"])(
    "unfinished marks stay text: %s",
    (markdown) => {
      expect(covered(markdown)).toEqual({ text: markdown === "[]()" ? "" : markdown, entities: [] });
    },
  );
});

describe("links", () => {
  test("a public URL becomes a link", () => {
    expect(covered("see [the **docs**](https://example.com/a?b=1&amp;c=2)")).toEqual({
      text: "see the docs",
      entities: [{ text_link: "the docs", url: "https://example.com/a?b=1&c=2" }, { bold: "docs" }],
    });
  });

  test("a link replaces code in its label", () => {
    expect(covered("[`x`](https://example.com)").entities).toEqual([{ text_link: "x", url: "https://example.com" }]);
  });

  test.each([
    "http://localhost:3000",
    "http://app.localhost/",
    "http://server/x",
    "http://[::1]:80/",
    "src/app.ts#L12",
    "/etc/hosts",
    "mailto:a@example.com",
    "javascript:alert(1)",
    "tg://user?id=1",
    "http:example.com",
  ])("a URL that Telegram rejects stays text: %s", (address) => {
    expect(covered(`[here](${address})`)).toEqual({ text: `here (${address})`, entities: [] });
  });

  test("a URL that is its own label appears once", () => {
    expect(covered("[src/app.ts](src/app.ts) http://localhost:1 <https://example.com>")).toEqual({
      text: "src/app.ts http://localhost:1 https://example.com",
      entities: [],
    });
  });

  test("a URL with non-ASCII characters is encoded", () => {
    expect(covered("[a](https://example.com/ä)").entities).toEqual([
      { text_link: "a", url: "https://example.com/%C3%A4" },
    ]);
  });

  test("images become links, and a title is kept", () => {
    expect(covered('![plot](https://example.com/p.png "by day") ![](x.png)')).toEqual({
      text: "plot (by day) x.png",
      entities: [{ text_link: "plot", url: "https://example.com/p.png" }],
    });
  });

  test("an image in a link keeps both URLs", () => {
    expect(covered("[![ci](https://example.com/ci.svg)](https://example.com)")).toEqual({
      text: "ci (https://example.com/ci.svg)",
      entities: [{ text_link: "ci (https://example.com/ci.svg)", url: "https://example.com" }],
    });
  });

  test("a reference is resolved, and its definition is kept", () => {
    expect(covered("[a][1]\n\n[1]: https://example.com")).toEqual({
      text: "a\n\n[1]: https://example.com",
      entities: [{ text_link: "a", url: "https://example.com" }],
    });
  });
});

describe("code blocks", () => {
  test("a fence becomes a block with its language", () => {
    expect(covered("a\n```ts\n  const x = `1`;\n\n\ty\n```\nb")).toEqual({
      text: "a\n  const x = `1`;\n\n\ty\nb",
      entities: [{ pre: "  const x = `1`;\n\n\ty", language: "ts" }],
    });
  });

  test("words after the language go above the code", () => {
    expect(covered('```ts src/a.ts "x"\ny\n```')).toEqual({
      text: 'src/a.ts "x"\ny',
      entities: [{ pre: "y", language: "ts" }],
    });
  });

  test("an unfinished fence is already a block, and an empty one stays as written", () => {
    expect(covered("```py\nprint(").entities).toEqual([{ pre: "print(", language: "py" }]);
    expect(covered("```py")).toEqual({ text: "```py", entities: [] });
  });

  test("indented code is a block", () => {
    expect(covered("a\n\n    b\n      c\n\nd").entities).toEqual([{ pre: "b\n  c" }]);
  });

  test("a fence in a list does not get the list's indentation", () => {
    expect(covered("1. a\n   ```js\n   if (x) {\n     y\n   }\n   ```\n   then\n2. b")).toEqual({
      text: "1. a\nif (x) {\n  y\n}\n   then\n2. b",
      entities: [{ pre: "if (x) {\n  y\n}", language: "js" }],
    });
  });

  test("a list item that begins with a fence has its marker on the line above", () => {
    expect(covered("- ```\n  x\n  ```")).toEqual({ text: "•\nx", entities: [{ pre: "x" }] });
  });
});

describe("blocks", () => {
  test("headings are bold", () => {
    expect(covered("# A\ntext\n\nB\n===\n\n### C ###")).toEqual({
      text: "A\ntext\n\nB\n\nC",
      entities: [{ bold: "A" }, { bold: "B" }, { bold: "C" }],
    });
  });

  test("lists have bullets, numbers, boxes and indentation", () => {
    const markdown = "- a\n  - b\n    continued\n- c\n\n3. d\n4. e\n   - f\n\n* [ ] g\n* [x] h";
    expect(formatMarkdown(markdown).text).toBe("• a\n  • b\n    continued\n• c\n\n3. d\n4. e\n   • f\n\n☐ g\n☑ h");
  });

  test("entities in nested lists move with their text", () => {
    expect(covered("- a\n  - **b** *c\n    d*\n").entities).toEqual([{ bold: "b" }, { italic: "c\n    d" }]);
  });

  test("a quote is an entity, and may contain code", () => {
    expect(covered("> a `b`\n> **c**\n\nd")).toEqual({
      text: "a b\nc\n\nd",
      entities: [{ blockquote: "a b\nc" }, { code: "b" }, { bold: "c" }],
    });
  });

  test("a quote that begins with indented code contains all of it", () => {
    expect(covered("> ```\n>   a\n> ```").entities).toEqual([{ blockquote: "  a" }, { pre: "  a" }]);
  });

  test("a long quote is collapsed", () => {
    const lines = Array.from({ length: 9 }, (_, index) => `> line ${index}`).join("\n");
    expect(formatMarkdown(lines).entities.map(({ type }) => type)).toEqual(["expandable_blockquote"]);
  });

  test("nested quotes keep their markers", () => {
    expect(covered("> a\n> > b\n> > > c\n")).toEqual({
      text: "a\n> b\n> > c",
      entities: [{ blockquote: "a\n> b\n> > c" }],
    });
  });

  test("a rule is a line of dashes", () => {
    expect(formatMarkdown("a\n\n---\n\nb").text).toBe("a\n\n————————\n\nb");
  });

  test("paragraphs are separated by one empty line", () => {
    expect(formatMarkdown("\n\na\n\n\n\nb\nc\n\n").text).toBe("a\n\nb\nc");
  });

  test("text from right to left stays in order", () => {
    expect(covered("שלום **עולם** مرحبا")).toEqual({ text: "שלום עולם مرحبا", entities: [{ bold: "עולם" }] });
  });

  test("blank Markdown gives empty text", () => {
    expect(formatMarkdown(" \n\t\n")).toEqual({ text: "", entities: [] });
  });
});
