import { describe, expect, test } from "vitest";
import { isTooOld } from "./find-opencode.ts";

describe("a version", () => {
  test.each(["1.18.14", "v1.18.14", "opencode 1.18.14", "opencode v1.18.14 (linux)"])("is read from %j", (text) => {
    expect(isTooOld(text)).toBe(true);
    expect(isTooOld(text.replace("1.18.14", "1.18.33"))).toBe(false);
  });

  test.each(["1.18.14", "1.17.99", "0.99.99", "v1.18.2", "1.18.15-beta.1"])("%s is too old", (text) => {
    expect(isTooOld(text)).toBe(true);
  });

  test.each(["1.18.15", "1.18.100", "1.19.0", "2.0.0", "1.18.16-beta.1", "10.0.0"])("%s is accepted", (text) => {
    expect(isTooOld(text)).toBe(false);
  });

  test("that is not a number, as in a private build, is accepted", () => {
    expect(isTooOld("local")).toBe(false);
  });
});
