import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const words = ["send", "lanes", "deliveries", "show", "store"];

test.each([
  ["sned", "send"],
  ["lane", "lanes"],
  ["LANES", "lanes"],
  ["deliv", "deliveries"],
  ["delivreies", "deliveries"],
  ["stroe", "store"],
  ["stor", "store"],
  ["backup", null],
  ["fly", null],
  ["", null],
  ["sen_d", "send"],
])("%j may mean %j", (word, meant) => {
  expect(nearest(word, words)).toBe(meant);
});
