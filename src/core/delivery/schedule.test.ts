import { describe, expect, test } from "vitest";
import { aRecord } from "../../../test/support/core/records.ts";
import { defaultPolicy } from "./policy.ts";
import type { DeliveryRecord } from "./record.ts";
import { rescheduled } from "./schedule.ts";

const now = 1_000_000_000;
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

const given = (record: Partial<DeliveryRecord>) => ({ ...aRecord(), submittedAt: now - second, ...record });
const reconcileAt = (record: Partial<DeliveryRecord>) =>
  rescheduled(given(record), defaultPolicy, now)?.reconcileAt ?? null;

describe("times further ahead than the schedule allows", () => {
  test.each<[string, Partial<DeliveryRecord>, number]>([
    ["a reconcile after a send", { status: "accepted" }, minute],
    [
      "a reconcile after a send for a task, in its grace time",
      { status: "submitting", taskRefs: [{ id: "T" }] },
      minute,
    ],
    ["a retry", { status: "retry_scheduled" }, 3 * minute],
    ["a reconcile for late proof", { status: "failed_terminal" }, 30 * minute],
    ["an owed read or end of turn", { status: "cancelled" }, minute],
  ])("are moved back: %s", (_, record, longest) => {
    expect(reconcileAt({ ...record, nextReconcileAt: now + hour })).toBe(now + longest);
    expect(reconcileAt({ ...record, nextReconcileAt: now + longest + 1 })).toBe(now + longest);
    expect(reconcileAt({ ...record, nextReconcileAt: now + longest })).toBeNull();
  });

  test("depend on the policy's own delays", () => {
    const policy = {
      ...defaultPolicy,
      maxReconcileDelayMs: second,
      graceMs: 10 * second,
      retryDelaysMs: [20 * second],
    };
    const at = (record: Partial<DeliveryRecord>) =>
      rescheduled(given({ ...record, nextReconcileAt: now + hour }), policy, now)?.reconcileAt;
    expect(at({ status: "accepted" })).toBe(now + 10 * second);
    expect(at({ status: "retry_scheduled" })).toBe(now + 20 * second);
  });

  test("include the time of the send, from which the grace time counts, even if the next reconcile is near", () => {
    const nextReconcileAt = now + 5 * second;
    expect(reconcileAt({ status: "accepted", submittedAt: now + 1, nextReconcileAt })).toBe(nextReconcileAt);
    expect(reconcileAt({ status: "accepted", submittedAt: now, nextReconcileAt })).toBeNull();
  });

  test("include the end of a check for files", () => {
    const record = given({
      status: "responded",
      nextReconcileAt: now + second,
      claims: { names: ["a"], until: now + hour },
    });
    expect(rescheduled(record, defaultPolicy, now)).toMatchObject({
      reconcileAt: now + second,
      filesUntil: now + 15 * second,
    });
    const inTime = { ...record, claims: { names: ["a"], until: now + 15 * second } };
    expect(rescheduled(inTime, defaultPolicy, now)).toBeNull();
  });

  test("do not include times set by a sender, nor those of closed deliveries", () => {
    expect(reconcileAt({ status: "pending", nextReconcileAt: now + 48 * hour })).toBeNull();
    expect(reconcileAt({ status: "responded", nextReconcileAt: null, submittedAt: now + hour })).toBeNull();
  });
});
