/** Alerts are raised once, and failures without an alert are found. */
import { expect, it } from "vitest";
import type { Alert } from "../../../src/core/delivery/record.ts";
import { admit, failedForGood, move, start, submit } from "../../support/core/deliveries.ts";
import type { Subject } from "../store-conformance.ts";

export const anAlert: Alert = {
  id: "ask:a1",
  kind: "ask",
  laneId: "lane",
  deliveryId: null,
  messageId: null,
  askId: "a1",
  person: "user",
  reason: "permission_pending",
  since: start,
  raisedAt: start + 1000,
};

export function alerts(subject: Subject): void {
  it("raises an alert once", async () => {
    expect(await subject.store.raise(anAlert)).toBe(true);
    const end = subject.store.logEnd();
    await subject.reopen();
    expect(await subject.store.raise({ ...anAlert, raisedAt: start + 9000 })).toBe(false);
    expect(subject.store.logEnd()).toBe(end);
  });

  it("finds the failures without an alert", async () => {
    const { store } = subject;
    const failed = async (id: string) => {
      const record = await admit(store, { id });
      return (await move(store, record, submit(record), failedForGood())).record;
    };
    const [one, other] = [await failed("m1"), await failed("m2")];
    await store.raise({ ...anAlert, id: `failure:${one.id}:${one.failedAt}`, kind: "failure" });
    expect(await store.failedWithoutAlert()).toEqual([other]);
  });
}
