import { expect, test } from "vitest";
import { defaultTitle } from "./prompt-body.ts";

const made = { id: "oc-0123456789", displayName: null };

test("a session created by a client is named after the first line of its first prompt", () => {
  expect(defaultTitle(made, "  Is the\tbuild green?\n\nSay why not.")).toBe("Is the build green?");
  expect(defaultTitle(made, `${"long ".repeat(20)}`)).toBe(`${"long ".repeat(11)}long…`);
});

test("a named lane and a configured lane keep their names", () => {
  expect(defaultTitle({ ...made, displayName: "Builds" }, "Is it green?")).toBeNull();
  expect(defaultTitle({ id: "api", displayName: null }, "Is it green?")).toBeNull();
  expect(defaultTitle(made, "\n ")).toBeNull();
});
