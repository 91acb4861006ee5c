import { expect, test } from "vitest";
import { firstTitle } from "./first-title.ts";

const made = { id: "oc-0123456789", displayName: null };

test("a session that a client made is called by the first line of its first prompt", () => {
  expect(firstTitle(made, "  Is the\tbuild green?\n\nSay why not.")).toBe("Is the build green?");
  expect(firstTitle(made, `${"long ".repeat(20)}`)).toBe(`${"long ".repeat(11)}long…`);
});

test("a lane with a name, and one that somebody configured, keep theirs", () => {
  expect(firstTitle({ ...made, displayName: "Builds" }, "Is it green?")).toBeNull();
  expect(firstTitle({ id: "api", displayName: null }, "Is it green?")).toBeNull();
  expect(firstTitle(made, "\n ")).toBeNull();
});
