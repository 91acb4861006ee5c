import { expect, test } from "vitest";
import { aLane } from "../../../../test/support/daemon/waybill.ts";
import { LaneRegistry } from "./lane-registry.ts";

const laneOf = (id: string) => ({
  ...aLane({ id }),
  pausedReason: null,
  teamHold: null,
  sessionId: null,
  generation: 0,
  version: 1,
});

test("the time of a lane's last event is forgotten with the lane, and not recorded for a removed one", () => {
  const lanes = new LaneRegistry([laneOf("one")]);
  lanes.setLastEventAt("one", 5);
  lanes.setLastEventAt("nobody", 5);
  expect([lanes.lastEventAt("one"), lanes.lastEventAt("nobody")]).toEqual([5, null]);
  lanes.update("one", null);
  lanes.setLastEventAt("one", 6);
  expect(lanes.lastEventAt("one")).toBeNull();
  lanes.update("one", laneOf("one"));
  expect(lanes.lastEventAt("one")).toBeNull();
});

test("the last thousand removed lanes are remembered", () => {
  const lanes = new LaneRegistry([]);
  const ids = Array.from({ length: 1010 }, (_, index) => `lane-${index}`);
  for (const id of ids) {
    lanes.update(id, laneOf(id));
    lanes.update(id, null);
  }
  expect(ids.filter((id) => lanes.previous(id).lane !== null)).toEqual(ids.slice(10));
});
