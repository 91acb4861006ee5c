import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { expectedTables } from "../support/rules/configuration-document.ts";

const sections = new Map(
  readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8")
    .split(/^## /m)
    .map((section) => [section.split("\n")[0] ?? "", section.split("\n").filter((line) => line.startsWith("| `"))]),
);

// A failure prints missing or wrong rows as they have to be.
test.each(Object.entries(expectedTables()))(
  "docs/configuration.md, %s: lists every key with its variable, default and meaning, and no others",
  (heading, rows) => {
    expect(sections.get(heading)).toEqual(rows);
  },
);
