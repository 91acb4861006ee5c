import { expect, test } from "vitest";
import { aRecord } from "../../../../test/support/records.ts";
import { stopPlan } from "./stop-command.ts";

const holder = { ...aRecord(), status: "accepted", createdAt: 1000 } as const;

test.each([
  ["stops whatever the lane does", holder, { isAgain: false, receivedAt: 0 }, { stop: "lane" }],
  [
    "handled again stops the turn that it meant",
    holder,
    { isAgain: true, receivedAt: 1000 },
    { stop: "delivery", id: holder.id },
  ],
  ["handled again leaves a turn that began later", holder, { isAgain: true, receivedAt: 999 }, { stop: "nothing" }],
  ["handled again leaves what waits", null, { isAgain: true, receivedAt: 2000 }, { stop: "nothing" }],
])("a stop %s", (_, running, update, plan) => {
  expect(stopPlan(running, update)).toEqual(plan);
});
