import { expect, test } from "vitest";
import { aLane } from "../../../../test/support/waybill.ts";
import { KnownLanes } from "./known-lanes.ts";

const laneOf = (id: string) => ({ ...aLane({ id }), pausedReason: null, sessionId: null, generation: 0 });

test("when something was heard of a lane is forgotten with the lane, and not learned of one that is gone", () => {
  const lanes = new KnownLanes([laneOf("one")]);
  lanes.heard("one", 5);
  lanes.heard("nobody", 5);
  expect([lanes.heardAt("one"), lanes.heardAt("nobody")]).toEqual([5, null]);
  lanes.changed("one", null);
  lanes.heard("one", 6);
  expect(lanes.heardAt("one")).toBeNull();
  lanes.changed("one", laneOf("one"));
  expect(lanes.heardAt("one")).toBeNull();
});

test("of lanes that were removed the last thousand are remembered", () => {
  const lanes = new KnownLanes([]);
  const ids = Array.from({ length: 1010 }, (_, index) => `lane-${index}`);
  for (const id of ids) {
    lanes.changed(id, laneOf(id));
    lanes.changed(id, null);
  }
  expect(ids.filter((id) => lanes.before(id).lane !== null)).toEqual(ids.slice(10));
});
