import { expect, it } from "vitest";
import { laneOfPath, recentFirst, withVisit } from "./recent-lanes.ts";

it("the last viewed lane comes first, once", () => {
  expect(withVisit(["a", "b", "c"], "b")).toEqual(["b", "a", "c"]);
});

it("only the last few are kept", () => {
  const many = Array.from({ length: 20 }, (_, index) => `lane-${index}`);
  const kept = many.reduce<string[]>((recent, lane) => withVisit(recent, lane), []);
  expect(kept).toHaveLength(8);
  expect(kept[0]).toBe("lane-19");
});

it("recent lanes come first, and the others keep their order", () => {
  const entries = ["a", "b", null, "c"].map((lane) => ({ lane }));
  expect(recentFirst(entries, ["c", "gone", "b"]).map(({ lane }) => lane)).toEqual(["c", "b", "a", null]);
});

it("an address belongs to the lane that it names", () => {
  expect(laneOfPath("/lanes/demo")).toBe("demo");
  expect(laneOfPath("/lanes/a%20b/")).toBe("a b");
  expect(laneOfPath("/lanes/demo/events")).toBeNull();
  expect(laneOfPath("/status")).toBeNull();
});
