/**
 * Named places where a test may kill the process. Each is a place where a crash once cost somebody a message:
 * on either side of every commit, and on either side of every send.
 */
import type { DeliveryEventType } from "./delivery-event.ts";
import { eventTypes } from "./transition.ts";

/** Around the rewrite of an inbox file: it is locked, its successor is durable beside it, has its place, was read again. */
export const inboxFileFailPoints = [
  "inbox.locked",
  "inbox.written",
  "inbox.renamed",
  "inbox.verified",
  "inbox.archived",
] as const;

/**
 * And between what a file says and what the store says: a row is admitted, and the next one is not; a message stands in the
 * file, and is not handed over yet; a request is answered, and not flagged as read.
 */
export const inboxFailPoints = [
  ...inboxFileFailPoints,
  "inbox.admitted",
  "inbox.handed_over",
  "inbox.answered",
] as const;

/**
 * Between an update of a chat service and the answer in the chat. `outbox.sent` is the one at which a second copy is allowed: the
 * other side has taken the row, and the store does not know.
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

/** All but those of inbox files and transports, which not every run has. */
export const failPoints: readonly FailPoint[] = [
  ...eventTypes.flatMap((type): FailPoint[] => [`before_commit.${type}`, `after_commit.${type}`]),
  "before_send",
  "after_send",
  "store.written",
  "store.committed",
];
