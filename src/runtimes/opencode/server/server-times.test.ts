import { expect, test } from "vitest";
import { defaultServerTimes, nextWait } from "./server-times.ts";

test("the waits between attempts double from a second to half a minute", () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 1000].map((failures) => nextWait(failures, defaultServerTimes) / 1000);
  expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
});
