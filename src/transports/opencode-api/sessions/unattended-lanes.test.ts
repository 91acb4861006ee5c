import { expect, test } from "vitest";
import { testService } from "../../../../test/support/daemon/test-service.ts";
import { unattendedLanes } from "./unattended-lanes.ts";

test("lanes that were removed in any way are forgotten, and the others are not", async () => {
  const ids = Array.from({ length: 101 }, (_, index) => `lane-${index}`);
  const service = testService(ids);
  const lanes = unattendedLanes(service);
  for (const id of ids.slice(0, 100)) await lanes.add(id);
  for (const id of ids.slice(0, 60)) await service.removeLane(id, true);
  await lanes.add("lane-100");
  expect(ids.filter((id) => lanes.has(id))).toEqual(ids.slice(60));
});

test("a lane created while removed ones are looked up is not mistaken for one of them", async () => {
  const ids = Array.from({ length: 101 }, (_, index) => `lane-${index}`);
  const service = testService(ids);
  const lanes = unattendedLanes({
    lanes: async () => {
      const listed = await service.lanes();
      await lanes.add("new");
      return listed;
    },
  });
  for (const id of ids) await lanes.add(id);
  expect(lanes.has("new")).toBe(true);
});
