import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { aRecord, having, submitEvent } from "../../../test/support/core/records.ts";
import type { DeliveryChange, DeliveryEvent } from "../../core/delivery/delivery-event.ts";
import { deliveryMetrics } from "./delivery-log.ts";

test("each time of an attempt is counted once, by runtime, measured from sending", async () => {
  const registry = new Registry();
  const listener = deliveryMetrics(registry);
  const count = (change: DeliveryChange & { events: [DeliveryEvent] }) => {
    const { record, events } = change;
    const place = { cursor: "1", at: events[0].at, laneId: record.laneId };
    listener([{ ...place, type: "delivery", event: events[0], record, change }]);
  };
  const sent = having(aRecord(), submitEvent(1, 1000));
  const accepted: DeliveryEvent = { type: "accepted", at: 1200, number: 1, storedAt: 1200, reconcileAt: 9000 };
  const stored = having(sent, accepted);
  count({ record: stored, before: sent, events: [accepted] });
  // A later reading moves the time slightly: it was already counted.
  const earlier = { number: 1, storedAt: 1100, firstTokenAt: 3000, lastActivityAt: 3000, finishedAt: null };
  const looked: DeliveryEvent = {
    type: "reconciled",
    at: 4000,
    observed: null,
    reason: null,
    found: true,
    missed: false,
    reconcileAt: 9000,
  };
  const seen = { ...having(stored, looked), attemptList: [{ ...stored.attemptList[0], ...earlier }] } as typeof stored;
  count({ record: seen, before: stored, events: [looked] });
  count({ record: seen, before: seen, events: [looked] });

  const text = await registry.metrics();
  expect(text).toContain('waybill_attempt_stored_seconds_sum{runtime="stub"} 0.2');
  expect(text).toContain('waybill_attempt_stored_seconds_count{runtime="stub"} 1');
  expect(text).toContain('waybill_attempt_first_token_seconds_sum{runtime="stub"} 2');
  expect(text).toContain('waybill_attempt_first_token_seconds_count{runtime="stub"} 1');
  expect(text).not.toContain("waybill_attempt_proven_seconds_count{");
});
