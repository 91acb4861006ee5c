import { expect, it } from "vitest";
import { stepDuration } from "./step-duration.ts";

it("is more precise the shorter it is", () => {
  expect([0, 38.4, 999].map(stepDuration)).toEqual(["0 ms", "38 ms", "999 ms"]);
  expect([1000, 1449, 9940].map(stepDuration)).toEqual(["1.0 s", "1.4 s", "9.9 s"]);
  expect([12_400, 64_000].map(stepDuration)).toEqual(["12 s", "1 min 4 s"]);
});
