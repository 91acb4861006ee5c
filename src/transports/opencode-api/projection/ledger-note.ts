/** The ledger's notes about messages among a lane's events. Pure. */
import type { AttemptNote, DeliveryEndNote, DeliveryNote, RetryNote } from "../../../core/turn/delivery-notes.ts";
import { attemptNote, deliveryNote, retryNote } from "../../../core/turn/delivery-notes.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { ItemEvent } from "./native-event.ts";

/** A message is admitted again when a person retries it. */
export type LedgerNote =
  | { type: "admitted"; note: DeliveryNote }
  | { type: "sending" | "sent"; note: AttemptNote }
  | { type: "retry_scheduling" | "retry_scheduled"; note: RetryNote }
  | { type: "ended"; note: DeliveryEndNote };

export function isLedgerEvent(event: UniversalEvent): event is ItemEvent {
  const { source, synthetic, type } = event;
  return source === "daemon" && !synthetic && (type === "item.started" || type === "item.completed");
}

export function ledgerNote(event: UniversalEvent): LedgerNote | null {
  if (!isLedgerEvent(event)) return null;
  const { name, parts } = event.data.item;
  const value = parts[0]?.type === "json" ? parts[0].value : null;
  if (value === null) return null;
  const isCompleted = event.type === "item.completed";
  if (name === attemptNote) return { type: isCompleted ? "sent" : "sending", note: value as AttemptNote };
  if (name === retryNote) {
    return { type: isCompleted ? "retry_scheduled" : "retry_scheduling", note: value as RetryNote };
  }
  if (name !== deliveryNote) return null;
  return isCompleted
    ? { type: "ended", note: value as DeliveryEndNote }
    : { type: "admitted", note: value as DeliveryNote };
}
