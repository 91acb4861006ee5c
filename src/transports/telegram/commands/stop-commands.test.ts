import { expect, test } from "vitest";
import { aRecord } from "../../../../test/support/core/records.ts";
import { stopPlan } from "./stop-commands.ts";

const holder = { ...aRecord(), status: "accepted", createdAt: 1000 } as const;

test.each([
  ["stops whatever the lane is doing", holder, { isAgain: false, receivedAt: 0 }, { stop: "lane" }],
  [
    "that is handled again stops the turn that it meant",
    holder,
    { isAgain: true, receivedAt: 1000 },
    { stop: "delivery", id: holder.id },
  ],
  ["that is handled again does not stop a later turn", holder, { isAgain: true, receivedAt: 999 }, { stop: "nothing" }],
  [
    "that is handled again does not stop waiting messages",
    null,
    { isAgain: true, receivedAt: 2000 },
    { stop: "nothing" },
  ],
])("a stop %s", (_, running, update, plan) => {
  expect(stopPlan(running, update)).toEqual(plan);
});
