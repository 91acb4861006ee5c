import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { toolsDocument } from "../support/tools-document.ts";

test("docs/tools.md is what `npm run tools-document` writes", () => {
  expect(readFileSync(new URL("../../docs/tools.md", import.meta.url), "utf8")).toBe(toolsDocument());
});
