import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { longest } from "../support/files/longest-first.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("the files that start first exist", () => {
  expect(longest.filter((name) => !existsSync(`${root}/${name}`))).toEqual([]);
});
