/**
 * Every change of a record is a transition, an apply takes all of its events or none, and the audit folds to the
 * record.
 */
import { expect, it } from "vitest";
import { fold } from "../../../src/core/delivery/transition.ts";
import {
  accepted,
  admit,
  failedForGood,
  move,
  proven,
  retriedByPerson,
  retryScheduled,
  start,
  submit,
  unanswered,
} from "../../support/core/deliveries.ts";
import type { Subject } from "../store-conformance.ts";

export function transitions(subject: Subject): void {
  it("each event of an apply is one audit row, in order", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    const events = [submit(record), accepted(), unanswered()];
    const applied = await store.apply(record.id, events);
    expect(applied).toMatchObject({ outcome: "applied", record: { status: "unanswered", version: 4 } });
    expect(await store.history(record.id)).toEqual([{ type: "admitted", at: start, record }, ...events]);
  });

  it("effects are returned with the events that allow them", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    const { effects, record: submitted } = await move(store, record, submit(record));
    expect(effects).toEqual([{ type: "send", attempt: submitted.attemptList[0] }]);
  });

  it("folding the history gives the record, through retries and a person's retry", async () => {
    const { store } = subject;
    let record = await admit(store, { id: "m1" });
    ({ record } = await move(store, record, submit(record), accepted(), unanswered(), retryScheduled()));
    ({ record } = await move(store, record, submit(record), accepted(2), failedForGood(start + 1)));
    ({ record } = await move(store, record, retriedByPerson(start + 2)));
    ({ record } = await move(store, record, submit(record, { at: start + 3 }), proven({ at: start + 4 })));
    expect(record).toMatchObject({ status: "responded", attempts: 3, version: 11 });
    expect(await store.delivery(record.id)).toEqual(record);
    expect(fold(await store.history(record.id))).toEqual(record);
  });

  it("when the last of several events is refused, none is applied", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    const applied = await store.apply(record.id, [submit(record), accepted(), accepted()]);
    expect(applied).toEqual({ outcome: "refused", reason: "accepted_from_accepted", record });
    expect(await store.delivery(record.id)).toEqual(record);
    expect(await store.history(record.id)).toHaveLength(1);
    expect(await store.outstanding("lane")).toBeNull();
    // The refused attempt has left no trace, so its runtime ids are still free.
    expect(await store.apply(record.id, [submit(record)])).toMatchObject({ outcome: "applied" });
  });

  it("a refused event changes nothing and has a reason", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    expect(await store.apply(record.id, [proven()])).toEqual({
      outcome: "refused",
      reason: "nothing_was_sent",
      record,
    });
    expect(await store.apply(record.id, [submit(record, { number: 2 })])).toMatchObject({
      outcome: "refused",
      reason: "attempt_number_out_of_order",
    });
    expect(await store.delivery(record.id)).toEqual(record);
    expect(await store.history(record.id)).toHaveLength(1);
  });

  it("events for an unknown delivery are refused", async () => {
    const { store } = subject;
    expect(await store.apply("nothing", [accepted()])).toEqual({
      outcome: "refused",
      reason: "delivery_unknown",
      record: null,
    });
    expect(await store.history("nothing")).toEqual([]);
  });

  it("of two applies of the same step in one tick, one succeeds", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    const both = await Promise.all([
      store.apply(record.id, [submit(record)]),
      store.apply(record.id, [submit(record)]),
    ]);
    expect(both.map((one) => one.outcome)).toEqual(["applied", "refused"]);
    expect(both[1]).toMatchObject({ reason: "submit_from_submitting" });
    expect(await store.delivery(record.id)).toMatchObject({ attempts: 1, version: 2 });
  });

  it("a runtime id in use throws for any other attempt", async () => {
    const { store } = subject;
    const one = await admit(store, { id: "m1" });
    const two = await admit(store, { id: "m2", recipient: { kind: "lane", lane: "other" } });
    await move(store, one, submit(one, { messageId: "msg-same" }));
    await expect(store.apply(two.id, [submit(two, { messageId: "msg-same" })])).rejects.toThrow();
    expect(await store.delivery(two.id)).toEqual(two);
    expect(await store.history(two.id)).toHaveLength(1);
    expect(await store.apply(two.id, [submit(two, { messageId: "msg-new" })])).toMatchObject({ outcome: "applied" });
  });

  it("a retry cannot reuse the runtime id of its own first attempt", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    const first = submit(record, { messageId: "msg-same" });
    const { record: waiting } = await move(store, record, first, accepted(), unanswered(), retryScheduled());
    await expect(store.apply(record.id, [submit(waiting, { messageId: "msg-same" })])).rejects.toThrow();
    expect(await store.delivery(record.id)).toEqual(waiting);
  });
}
