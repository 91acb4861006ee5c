/**
 * Notices that no query returns: alerts, and rows that are no longer in inbox files. Kept while the page is open, until
 * they are dismissed or dealt with.
 */
import type { Alert, StreamEvent } from "waybill/client";
import { createStore } from "./store.ts";

type InboxEvent = Extract<StreamEvent, { type: "inbox" }>;

export type Notice =
  | { type: "alert"; key: string; at: string; alert: Alert }
  | { type: "inbox"; key: string; at: string; event: InboxEvent };

export const notices = createStore<readonly Notice[]>([]);

const maxNotices = 50;

export function onAlert(alert: Alert): void {
  add({ type: "alert", key: alert.id, at: alert.raisedAt, alert });
}

export function onInbox(event: InboxEvent): void {
  const { team, inbox, messageId, at, state } = event;
  const isLost = event.event === "hand_over" && state === "gone";
  if (isLost || event.event === "row_refused") add({ type: "inbox", key: `${team} ${inbox} ${messageId}`, at, event });
}

export function dismiss(key: string): void {
  notices.set(notices.latest().filter((notice) => notice.key !== key));
}

/** Removes alerts about what has just been dealt with, here or elsewhere. */
export function settleAlerts(event: StreamEvent): void {
  const open = notices.latest().filter((notice) => notice.type !== "alert" || !isSettledBy(notice.alert, event));
  if (open.length < notices.latest().length) notices.set(open);
}

export function isSettledBy({ kind, deliveryId, askId }: Alert, event: StreamEvent): boolean {
  if (event.type === "ask") return askId === event.id && !event.open;
  if (event.type !== "delivery" || event.delivery.id !== deliveryId) return false;
  const { status, responsePending, heldReason } = event.delivery;
  switch (kind) {
    case "failure":
      return status !== "failed_terminal";
    case "ask":
    case "late":
      return !responsePending;
    case "loop":
    case "held":
      return status !== "pending" || heldReason === null;
    default:
      return kind satisfies never;
  }
}

function add(notice: Notice): void {
  const others = notices.latest().filter(({ key }) => key !== notice.key);
  notices.set([...others, notice].slice(-maxNotices));
}
