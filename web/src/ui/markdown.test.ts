import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Markdown } from "./markdown.tsx";

const shown = (text: string) => renderToStaticMarkup(createElement(Markdown, { text }));

test("characters that change how a text reads are removed, however they are written", () => {
  expect(shown("pay \u202eecila")).toContain("<p>pay ecila</p>");
  expect(shown("pay &#x202e;ecila, **&#8238;bob**")).toContain("<p>pay ecila, <strong>bob</strong></p>");
});

test("there is no HTML, no image, and no link but to the web and to mail", () => {
  expect(shown("<b onclick=x>hi</b>")).not.toContain("<b");
  expect(shown("![cat](https://example.com/cat.png)")).not.toContain("<img");
  expect(shown("[run](javascript:alert(1)) [file](file:///etc/passwd)")).not.toContain("href");
  expect(shown("[site](https://example.com)")).toContain('href="https://example.com"');
});
