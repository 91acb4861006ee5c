/** Named points where a test may kill the process: before and after every commit, and before and after every send. */
import type { DeliveryEventType } from "./delivery-event.ts";
import { eventTypes } from "./transition.ts";

/** In the rewrite of an inbox file: locked, new file written durably, renamed into place, read back. */
export const inboxFileFailPoints = [
  "inbox.locked",
  "inbox.written",
  "inbox.renamed",
  "inbox.verified",
  "inbox.archived",
] as const;

/**
 * Between a file and the store: a row is admitted and the next one is not; a message is in the file and not yet
 * handed over; a request is answered and not yet marked as read.
 */
export const inboxFailPoints = [
  ...inboxFileFailPoints,
  "inbox.admitted",
  "inbox.handed_over",
  "inbox.answered",
] as const;

/**
 * Between an update from a chat service and the answer in the chat. Only `outbox.sent` may cause a second copy: the
 * other side has taken the row, and the store does not know it.
 */
export const transportFailPoints = [
  "update.fetched",
  "update.stored",
  "update.handling",
  "update.admitted",
  "update.handled",
  "outbox.written",
  "outbox.sent",
  "outbox.committed",
] as const;

export type FailPoint =
  | `before_commit.${DeliveryEventType}`
  | `after_commit.${DeliveryEventType}`
  | "before_send"
  | "after_send"
  | "store.written"
  | "store.committed"
  | (typeof inboxFailPoints)[number]
  | (typeof transportFailPoints)[number];

export type FailPointHook = (point: FailPoint) => void;

/** All except those of inbox files and transports, which not every run has. */
export const failPoints: readonly FailPoint[] = [
  ...eventTypes.flatMap((type): FailPoint[] => [`before_commit.${type}`, `after_commit.${type}`]),
  "before_send",
  "after_send",
  "store.written",
  "store.committed",
];
