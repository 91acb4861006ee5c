/** Old records are removed, messages stay. Unread and outstanding ones are never pruned. */
import { expect, it } from "vitest";
import type { DeliveryEvent } from "../../../src/core/delivery/delivery-event.ts";
import { defaultPolicy } from "../../../src/core/delivery/policy.ts";
import type { DeliveryRecord } from "../../../src/core/delivery/record.ts";
import { payloadHash } from "../../../src/core/message/message.ts";
import {
  admit,
  aMessage,
  cancelled,
  failedForGood,
  move,
  proven,
  recordFor,
  start,
  submit,
  tryToAdmit,
} from "../../support/core/deliveries.ts";
import type { Subject } from "../store-conformance.ts";

const { respondedMs, failedMs } = defaultPolicy.retention;

export function pruning(subject: Subject): void {
  /** Prunes as a daemon does that many milliseconds after the start. */
  const pruneAfter = (ms: number) =>
    subject.store.prune({
      responded: start + ms - respondedMs,
      failed: start + ms - failedMs,
      log: start + ms - respondedMs,
      events: start + ms - respondedMs,
      stats: 0,
    });
  const sent = async (...events: readonly DeliveryEvent[]): Promise<DeliveryRecord> => {
    const record = await admit(subject.store, { id: "m1" });
    return (await move(subject.store, record, submit(record), ...events)).record;
  };

  it("an answered delivery is removed after seven days, with its history", async () => {
    const { store } = subject;
    const record = await sent(proven());
    expect(await pruneAfter(respondedMs)).toBe(0);
    expect(await pruneAfter(respondedMs + 1)).toBe(1);
    expect(await store.delivery(record.id)).toBeNull();
    expect(await store.history(record.id)).toEqual([]);
  });

  it("a delivery that failed and was then cancelled is removed after thirty days", async () => {
    await sent(failedForGood(), cancelled());
    expect(await pruneAfter(failedMs)).toBe(0);
    expect(await pruneAfter(failedMs + 1)).toBe(1);
  });

  it("a delivery's age counts from its last change", async () => {
    const record = await sent(proven({ turnEnded: false }));
    await move(subject.store, record, { type: "turn_ended", at: start + 1000 });
    expect(await pruneAfter(respondedMs + 1000)).toBe(0);
    expect(await pruneAfter(respondedMs + 1001)).toBe(1);
  });

  it("a delivery that failed for good stays until a person acts", async () => {
    const record = await sent(failedForGood());
    expect(await pruneAfter(failedMs * 100)).toBe(0);
    expect(await subject.store.delivery(record.id)).toEqual(record);
  });

  it("a waiting or outstanding delivery stays, however old it is", async () => {
    await sent(proven({ turnEnded: false }));
    await admit(subject.store, { id: "m2" });
    expect(await pruneAfter(failedMs * 100)).toBe(0);
    expect((await subject.store.deliveries({ limit: 10 })).items).toHaveLength(2);
  });

  it("a closed record stays while its message is unread", async () => {
    const { store } = subject;
    const message = aMessage({ id: "m1" });
    await store.admit({ message, payloadHash: payloadHash(message), delivery: null, choice: null });
    const record = await recordFor(store, message);
    const closed = { cancelledAt: start, readCommittedAt: start, turnEndedAt: start };
    await store.rebuild({ ...record, status: "cancelled", ...closed });
    expect(await pruneAfter(failedMs * 100)).toBe(0);
    expect(await store.delivery(record.id)).not.toBeNull();
  });

  it("the message stays, does not count as unrecorded, and is still known when it is sent again", async () => {
    const { store } = subject;
    await sent(proven());
    await pruneAfter(failedMs);
    expect(await store.message({ kind: "lane", lane: "lane" }, "m1")).toMatchObject({ readAt: start });
    expect(await store.unrecorded()).toEqual([]);
    expect(await tryToAdmit(store, { id: "m1" })).toMatchObject({ outcome: "known", delivery: null });
    expect(await tryToAdmit(store, { id: "m1", text: "other" })).toEqual({ outcome: "conflict" });
    expect((await store.deliveries({ limit: 10 })).items).toEqual([]);
  });

  it("only old records are removed", async () => {
    const { store } = subject;
    await sent(proven());
    const young = await admit(store, { id: "m2" });
    const { record } = await move(store, young, submit(young), proven({ at: start + 1000 }));
    expect(await pruneAfter(respondedMs + 1000)).toBe(1);
    expect((await store.deliveries({ limit: 10 })).items).toEqual([record]);
  });
}
