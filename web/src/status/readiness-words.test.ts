import { expect, test } from "vitest";
import { readinessState, readinessWords } from "./readiness-words.ts";

test("not ready outranks degraded", () => {
  expect(readinessState({ ready: true, degraded: false, reasons: [] })).toBe("ready");
  expect(readinessState({ ready: true, degraded: true, reasons: ["telegram_store"] })).toBe("degraded");
  expect(readinessState({ ready: false, degraded: true, reasons: ["draining"] })).toBe("not_ready");
});

test("a reason names its runtime", () => {
  expect(readinessWords("runtime_not_ready:claude")).toBe("claude cannot be reached. Messages to its lanes wait.");
});

test("an unknown reason is shown unchanged", () => {
  expect(readinessWords("moon_in_the_way")).toBe("moon in the way");
  expect(readinessWords("odd:a:b")).toBe("odd (a:b)");
});

test("a problem with inbox files points to the teams", () => {
  expect(readinessWords("too_large:inbox_files")).toMatch(/inbox file .* too large\. See the teams/);
});
