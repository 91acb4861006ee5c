import { expect, test } from "vitest";
import { defaultTitle } from "./default-title.ts";

const made = { id: "oc-0123456789", displayName: null };

test("a session that a client made is called by the first line of its first prompt", () => {
  expect(defaultTitle(made, "  Is the\tbuild green?\n\nSay why not.")).toBe("Is the build green?");
  expect(defaultTitle(made, `${"long ".repeat(20)}`)).toBe(`${"long ".repeat(11)}long…`);
});

test("a lane with a name, and one that somebody configured, keep theirs", () => {
  expect(defaultTitle({ ...made, displayName: "Builds" }, "Is it green?")).toBeNull();
  expect(defaultTitle({ id: "api", displayName: null }, "Is it green?")).toBeNull();
  expect(defaultTitle(made, "\n ")).toBeNull();
});
