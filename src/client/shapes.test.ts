import { expect, test } from "vitest";
import { hasOutcome } from "./shapes.ts";

test("a delivery has an outcome when it is answered, failed or cancelled, but not while its summary is pending", () => {
  expect(hasOutcome({ status: "responded" })).toBe(true);
  expect(hasOutcome({ status: "responded", responsePending: false })).toBe(true);
  expect(hasOutcome({ status: "responded", responsePending: true })).toBe(false);
  expect(hasOutcome({ status: "failed_terminal", responsePending: false })).toBe(true);
  expect(hasOutcome({ status: "accepted", responsePending: true })).toBe(false);
});
