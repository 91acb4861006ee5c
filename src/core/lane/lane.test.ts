import { describe, expect, test } from "vitest";
import { dayBefore, dayOf, isLimitReason, limitReached, nextDay, noLimits } from "./lane.ts";

const used = { tokens: 100, cost: 2, lifted: false };

describe("a limit", () => {
  test.each([
    ["is reached when usage equals it", { tokens: 100, cost: null }, "daily_token_limit_reached"],
    ["is not reached before that", { tokens: 101, cost: null }, null],
    ["may be a cost limit", { tokens: null, cost: 1.5 }, "daily_cost_limit_reached"],
    ["that is not set is never reached", noLimits, null],
  ])("%s", (_, limits, reason) => {
    expect(limitReached(limits, used)).toBe(reason);
  });

  test("that a person lifted is not enforced", () => {
    expect(limitReached({ tokens: 1, cost: 1 }, { ...used, lifted: true })).toBeNull();
  });

  test("is told apart from other reasons for a pause", () => {
    expect(isLimitReason("daily_token_limit_reached")).toBe(true);
    expect(isLimitReason("lunch")).toBe(false);
    expect(isLimitReason(null)).toBe(false);
  });
});

test("a day follows the machine's local clock, and ends where the next one begins", () => {
  const late = new Date(2026, 1, 28, 23, 59, 59).getTime();
  expect(dayOf(late)).toBe("2026-02-28");
  expect(nextDay(late)).toBe(new Date(2026, 2, 1).getTime());
  expect(dayOf(nextDay(late))).toBe("2026-03-01");
  expect(dayOf(nextDay(late) - 1)).toBe("2026-02-28");
  expect(dayBefore(late)).toBe("2026-02-27");
  expect(dayBefore(nextDay(late))).toBe("2026-02-28");
});
