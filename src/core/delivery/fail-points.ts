/**
 * Named places where a test may kill the process. Each is a place where a crash once cost somebody a message:
 * on either side of every commit, and on either side of every send.
 */
import type { DeliveryEventType } from "./delivery-event.ts";
import { eventTypes } from "./transition.ts";

export type FailPoint =
  | `before_commit.${DeliveryEventType}`
  | `after_commit.${DeliveryEventType}`
  | "before_send"
  | "after_send"
  | "store.written"
  | "store.committed";

export type FailPointHook = (point: FailPoint) => void;

export const failPoints: readonly FailPoint[] = [
  ...eventTypes.flatMap((type): FailPoint[] => [`before_commit.${type}`, `after_commit.${type}`]),
  "before_send",
  "after_send",
  "store.written",
  "store.committed",
];
