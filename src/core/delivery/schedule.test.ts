import { describe, expect, test } from "vitest";
import { aRecord } from "../../../test/support/records.ts";
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

describe("dates that lie further ahead than the schedule allows", () => {
  test.each<[string, Partial<DeliveryRecord>, number]>([
    ["a look at what was sent", { status: "accepted" }, minute],
    [
      "a look at what was sent for a task, in its grace time",
      { status: "submitting", taskRefs: [{ id: "T" }] },
      minute,
    ],
    ["a retry", { status: "retry_scheduled" }, 3 * minute],
    ["a look for late proof", { status: "failed_terminal" }, 30 * minute],
    ["a read or an end of a turn that is owed", { status: "cancelled" }, minute],
  ])("are brought back: %s", (_, record, longest) => {
    expect(reconcileAt({ ...record, nextReconcileAt: now + hour })).toBe(now + longest);
    expect(reconcileAt({ ...record, nextReconcileAt: now + longest + 1 })).toBe(now + longest);
    expect(reconcileAt({ ...record, nextReconcileAt: now + longest })).toBeNull();
  });

  test("are those of a policy's own waits", () => {
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

  test("are the send's, from which the grace time is counted, although the next look is near", () => {
    const nextReconcileAt = now + 5 * second;
    expect(reconcileAt({ status: "accepted", submittedAt: now + 1, nextReconcileAt })).toBe(nextReconcileAt);
    expect(reconcileAt({ status: "accepted", submittedAt: now, nextReconcileAt })).toBeNull();
  });

  test("are those of a search for files, which ends in its time", () => {
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

  test("are not those that a sender set, nor those of what is over", () => {
    expect(reconcileAt({ status: "pending", nextReconcileAt: now + 48 * hour })).toBeNull();
    expect(reconcileAt({ status: "responded", nextReconcileAt: null, submittedAt: now + hour })).toBeNull();
  });
});
