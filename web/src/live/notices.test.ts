import { expect, test } from "vitest";
import type { Alert, Delivery, StreamEvent } from "waybill/client";
import { isSettledBy } from "./notices.ts";

const alert = (kind: Alert["kind"]) => ({ kind, deliveryId: "d1", askId: kind === "ask" ? "a1" : null }) as Alert;
const delivery = (fields: Partial<Delivery>) =>
  ({
    type: "delivery",
    delivery: { id: "d1", status: "accepted", responsePending: true, heldReason: null, ...fields },
  }) as StreamEvent;
const ask = (id: string, open: boolean) => ({ type: "ask", id, open }) as StreamEvent;

test("an alert is over when its message or its ask is dealt with, and not before", () => {
  expect(isSettledBy(alert("failure"), delivery({ status: "failed_terminal" }))).toBe(false);
  expect(isSettledBy(alert("failure"), delivery({ status: "pending" }))).toBe(true);
  expect(isSettledBy(alert("late"), delivery({ status: "retry_scheduled" }))).toBe(false);
  expect(isSettledBy(alert("late"), delivery({ status: "responded", responsePending: false }))).toBe(true);
  for (const kind of ["loop", "held"] as const) {
    expect(isSettledBy(alert(kind), delivery({ status: "pending", heldReason: "x" }))).toBe(false);
    expect(isSettledBy(alert(kind), delivery({ status: "pending" }))).toBe(true);
    expect(isSettledBy(alert(kind), delivery({ status: "cancelled", heldReason: "x" }))).toBe(true);
  }
  expect(isSettledBy(alert("ask"), ask("a1", true))).toBe(false);
  expect(isSettledBy(alert("ask"), ask("a1", false))).toBe(true);
  expect(isSettledBy(alert("late"), ask("a1", false))).toBe(false);
  expect(isSettledBy(alert("failure"), delivery({ id: "another", status: "responded" }))).toBe(false);
});
