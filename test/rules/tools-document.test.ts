import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { toolsDocument } from "../support/rules/tools-document.ts";

test("docs/tools.md matches the output of `npm run tools-document`", () => {
  expect(readFileSync(new URL("../../docs/tools.md", import.meta.url), "utf8")).toBe(toolsDocument());
});
