/** What the ledger says of the lane's messages among its events. Pure. */
import type { AttemptNote, DeliveryEndNote, DeliveryNote } from "../../../core/turn/delivery-notes.ts";
import { attemptNote, deliveryNote } from "../../../core/turn/delivery-notes.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { ItemEvent } from "./event-of.ts";

export type LedgerNote =
  | { is: "admitted"; note: DeliveryNote }
  | { is: "sent"; note: AttemptNote }
  | { is: "ended"; note: DeliveryEndNote };

export function isNote(event: UniversalEvent): event is ItemEvent {
  const { source, synthetic, type } = event;
  return source === "daemon" && !synthetic && (type === "item.started" || type === "item.completed");
}

/** Null for one that changes nothing here, as an attempt that is only under way. */
export function ledgerNote({ type, data: { item } }: ItemEvent): LedgerNote | null {
  const [part] = item.parts;
  const value = part?.type === "json" ? part.value : null;
  if (item.name === attemptNote && type === "item.completed") return { is: "sent", note: value as AttemptNote };
  if (item.name !== deliveryNote) return null;
  return type === "item.started"
    ? { is: "admitted", note: value as DeliveryNote }
    : { is: "ended", note: value as DeliveryEndNote };
}
